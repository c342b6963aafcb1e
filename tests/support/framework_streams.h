// Streams of ranges with the names that frameworks write, as traces for
// BuildTrace(). The names are made after the sources that
// conf/frameworks/*.yaml cite; all times, kernels, and numbers of requests are
// invented.

#pragma once

#include <functional>
#include <random>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace rangefinder::testing {

class NameStream {
 public:
  explicit NameStream(std::string begin = "process pid=7 exe=/bin/server\n")
      : text_(std::move(begin)) {}

  // Every byte that the notation gives a meaning is escaped.
  static std::string Escaped(std::string_view name) {
    std::string text;
    for (const char c : name) {
      const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                         (c >= '0' && c <= '9') || c == '_' || c == '.';
      text += plain ? std::string(1, c)
                    : fmt::format("%{:02x}", static_cast<unsigned char>(c));
    }
    return text;
  }

  void Push(std::string_view name, std::string_view domain = {}) {
    text_ += fmt::format("{} push {}{}{}\n", now_++, domain,
                         domain.empty() ? "" : "@", Escaped(name));
  }
  void Pop(std::string_view domain = {}) {
    text_ +=
        fmt::format("{} pop{}{}\n", now_++, domain.empty() ? "" : " ", domain);
  }
  // A kernel of `us`, run at once; the CPU waits for it.
  void Kernel(int us, std::string_view name = "gemm") {
    const int call = ++calls_;
    text_ += fmt::format("{} launch {}\n{} launched\n", now_, call, now_ + 1);
    work_ += fmt::format("kernel {} {}-{} of={} grid=132 block=256\n", name,
                         now_ + 2, now_ + 2 + us, call);
    now_ += us + 3;
  }
  // A range with one kernel.
  void Work(std::string_view name, int us, std::string_view domain = {}) {
    Push(name, domain);
    Kernel(us);
    Pop(domain);
  }
  // A range around others.
  void In(std::string_view name, const std::function<void()>& inside,
          std::string_view domain = {}) {
    Push(name, domain);
    inside();
    Pop(domain);
  }
  void Thread(int id) { text_ += fmt::format("thread {}\n", id); }
  // From `low` to `high`.
  int Draw(int low, int high) {
    return low +
           static_cast<int>(draw_() % static_cast<unsigned>(high - low + 1));
  }
  std::string Trace() const { return text_ + work_; }

 private:
  std::string text_, work_;
  std::mt19937 draw_{7};
  int now_ = 10, calls_ = 0;
};

inline void Layers(NameStream& out, const std::string& top, int layers,
                   int tokens) {
  const auto module = [&](const std::string& path, int us) {
    out.Work(fmt::format("{{'Module': '{}', 'TrainableParams': {{'weight': "
                         "[512, 512]}}, 'Inputs': [[{}, 512]], 'StaticParams': "
                         "{{'in_features': 512}}}}",
                         path, tokens),
             us);
  };
  module(top + ".model.embed_tokens", 2);
  for (int layer = 0; layer < layers; ++layer) {
    const std::string path = fmt::format("{}.model.layers.{}", top, layer);
    for (const char* name :
         {"input_layernorm", "self_attn.qkv_proj", "self_attn.rotary_emb",
          "self_attn.attn", "self_attn.o_proj", "mlp.gate_up_proj",
          "mlp.act_fn", "mlp.down_proj"})
      module(path + "." + name, 5);
  }
  module(top + ".lm_head", 20);
}

inline std::string VllmStream() {
  NameStream out;
  out.Kernel(40);  // before the server is up
  for (int step = 0; step < 300; ++step) {
    const int context = step % 7 == 0 ? out.Draw(1, 4) : 0;
    const int tokens = context == 0 ? 0 : out.Draw(20, 900);
    const int running = step % 50 == 0 ? 0 : out.Draw(1, 64);
    if (context + running == 0) continue;
    const auto step_of = [&] {
      out.Work("gpu_model_runner: preprocess", 2);
      out.In("gpu_model_runner: forward", [&] {
        if (step % 60 == 7)
          Layers(out, "LlamaForCausalLM", 40, tokens + running);
        else
          out.Kernel(100 + tokens / 10 + running);
      });
      out.Work("gpu_model_runner: sample", 8);
      out.Work("gpu_model_runner: bookkeep", 2);
      if (step % 3 == 0) out.Work("gpu_model_runner: draft", 5);
    };
    if (step < 200)
      out.In(fmt::format("execute_context_{}({})_generation_{}({})", context,
                         tokens, running, running),
             step_of);
    else if (step < 250)
      out.In(fmt::format("execute_new_{}_cached_{}", context, running),
             step_of);
    else
      out.In(
          fmt::format("execute_{}_context_{}(sq{}sk{})_generation_{}(sq{}sk{})",
                      tokens + running, context, tokens, tokens, running,
                      running, 700 + step),
          step_of);
  }
  return out.Trace();
}

inline std::string SglangStream() {
  NameStream out;
  out.Kernel(40);
  for (int step = 0; step < 200; ++step) {
    out.In("scheduler.event_loop_overlap", [&] {
      out.In("scheduler.recv_requests", [] {});
      out.In("scheduler.process_input_requests", [] {});
      out.Work("scheduler.get_next_batch_to_run", 3);
      out.In("scheduler.run_batch", [&] {
        const int requests = out.Draw(1, 48), tokens = out.Draw(16, 4000);
        const std::string name =
            step % 9 == 0
                ? fmt::format("step[EXTEND bs={} toks={}]", requests, tokens)
            : step % 11 == 0 ? fmt::format("step[MIXED bs={}]", requests)
            : step % 13 == 0
                ? fmt::format("step[TARGET_VERIFY bs={}]", requests)
                : fmt::format("step[DECODE bs={}]", requests);
        out.In(name, [&] {
          if (step % 40 == 1)
            Layers(out, "top", 32, requests);
          else
            out.Kernel(100 + requests);
        });
      });
      out.Work("scheduler.process_batch_result", 4);
    });
  }
  for (int image = 0; image < 4; ++image) {
    out.In("DenoisingStage", [&] {
      for (int step = 0; step < 50; ++step)
        out.Work(fmt::format("denoising_step_{}_t{}", step, 999 - 20 * step),
                 60);
    });
    out.Work("DecodingStage", 50);
  }
  return out.Trace();
}

inline std::string TensorRtLlmStream() {
  NameStream out;
  out.Kernel(40);
  for (int step = 0; step < 300; ++step) {
    const int context = step % 5 == 0 ? out.Draw(1, 6) : 0;
    const int running = step % 35 == 0 ? 0 : out.Draw(1, 128);
    out.In("_executor_loop_overlap", [&] {
      out.Work("_fetch_new_requests", 1);
      out.In("_schedule", [] {});
      out.Work("_broadcast_new_requests", 2);
      out.In("_forward_step", [&] {
        const std::string name =
            step < 100 ? fmt::format(
                             "[Executor] _forward_step {}: {} ctx reqs, "
                             "{} gen reqs",
                             step, context, running)
            : step < 200
                ? fmt::format(
                      "[Executor] _forward_step: {} ctx reqs, {} gen reqs",
                      context, running)
                : fmt::format(
                      "[Executor] _forward_step {}: {} ctx reqs, {} ctx "
                      "tokens, {} gen reqs",
                      step, context, 100 * context, running);
        out.In(name, [&] {
          out.Work("_prepare_inputs", 4);
          out.Kernel(120 + 40 * context + running);
        });
      });
      out.Work("_sample_async", 6);
      out.Work("_update_requests", 2);
      out.Work("_handle_responses", 1);
    });
  }
  return out.Trace();
}

inline std::string MegatronStream() {
  NameStream out;
  out.Kernel(40);
  const std::string schedule =
      "megatron.core.pipeline_parallel.schedules."
      "forward_backward_pipelining_with_interleaving.";
  const auto layer = [&](int us) {
    const std::string attention =
        "megatron.core.transformer.transformer_layer._forward_attention.";
    out.In(attention + "self_attention", [&] {
      for (const char* part :
           {"qkv", "rotary_pos_emb", "core_attention", "linear_proj"})
        out.Work(
            fmt::format("megatron.core.transformer.attention.forward.{}", part),
            us);
    });
    out.Work(attention + "self_attn_bda", 2);
    out.In("megatron.core.transformer.transformer_layer._forward_mlp.mlp", [&] {
      for (const char* part : {"linear_fc1", "activation", "linear_fc2"})
        out.Work(fmt::format("megatron.core.transformer.mlp.forward.{}", part),
                 us);
    });
  };
  for (int step = 0; step < 10; ++step) {
    out.In("forward-backward", [&] {
      for (const char* part : {"warmup", "steady", "cooldown"}) {
        out.In(schedule + part, [&] {
          for (int micro = 0; micro < 4; ++micro) {
            out.Work(
                "megatron.core.pipeline_parallel.p2p_communication."
                "recv_forward",
                3);
            for (int i = 0; i < 4; ++i) layer(10);
            out.Work("megatron.core.fusions.fused_bias_swiglu.backward", 30);
            out.In(fmt::format("layer_{}f-layer_{}b", micro, 3 - micro),
                   [&] { out.Kernel(60); });
            out.Work("attn wgrad", 8);
            out.Work(
                "megatron.core.pipeline_parallel.p2p_communication."
                "send_backward_recv_forward",
                3);
          }
        });
      }
    });
    out.Work("all-grads-sync", 30);
    out.Work("optimizer", 30);
  }
  for (int step = 0; step < 100; ++step) {
    out.In(step % 8 == 0 ? "Prefill" : "Decode", [&] {
      out.Work("forward_pass", 100);
      out.Work("sampling", 6);
      for (int depth = 0; depth < 3; ++depth)
        out.Work(fmt::format("mtp-spec-decoding/depth-{}/forward", depth), 3);
    });
    out.Work("bookkeeping", 1);
  }
  return out.Trace();
}

inline std::string DeepSpeedStream(std::string_view domain = "DeepSpeed") {
  NameStream out;
  out.Kernel(40);
  for (int step = 0; step < 40; ++step) {
    out.In(
        "DeepSpeedEngine.forward",
        [&] {
          for (int i = 0; i < 12; ++i) {
            out.Work("PartitionedParameterCoordinator.fetch_sub_module", 4,
                     domain);
            out.Kernel(40);
            out.Work("PartitionedParameterCoordinator.release_sub_module", 1,
                     domain);
          }
        },
        domain);
    out.In(
        "DeepSpeedEngine.backward",
        [&] {
          out.Kernel(500);
          out.Work(
              "DeepSpeedZeroOptimizer_Stage3.__reduce_and_partition_ipg_"
              "grads",
              40, domain);
          out.Work("reduce_scatter_coalesced", 20, domain);
        },
        domain);
    out.In(
        "DeepSpeedZeroOptimizer_Stage3.step",
        [&] {
          out.Work("DeepSpeedZeroOptimizer_Stage3.unscale_and_clip_grads", 10,
                   domain);
          out.Kernel(50);
        },
        domain);
  }
  return out.Trace();
}

inline void Operators(NameStream& out, int& seq) {
  for (const char* name : {"aten::linear", "aten::addmm", "aten::gelu",
                           "aten::native_layer_norm", "aten::mm"})
    out.Work(fmt::format("{}, seq = {}, op_id = {}, sizes = [[{}, 512], []]",
                         name, seq, 2 * seq, seq % 9),
             12),
        ++seq;
}

inline std::string PyTorchStream() {
  NameStream out;
  out.Kernel(40);
  int seq = 1;
  for (int step = 0; step < 30; ++step) {
    out.In(fmt::format("ProfilerStep#{}", step), [&] {
      out.Work("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
               2);
      out.In("DistributedDataParallel.forward", [&] {
        for (int i = 0; i < 10; ++i) Operators(out, seq);
      });
      out.In(fmt::format("Torch-Compiled Region: {}/{}", step % 3, step % 5),
             [&] {
               out.Work(
                   "## Call CompiledFxGraph "
                   "fq4x2z7zkqjx5o3aqcvzq6wnkh3nfrzq ##",
                   60);
             });
      out.In(fmt::format("FSDP::pre_forward (layers.{})", step % 8), [&] {
        out.Work(fmt::format("FSDP::all_gather (layers.{})", step % 8), 9);
      });
      for (int i = 0; i < 20; ++i)
        out.In(fmt::format("autograd::engine::evaluate_function: "
                           "AddmmBackward0, seq = {}",
                           seq - i),
               [&] {
                 out.In(fmt::format("AddmmBackward0, seq = {}", seq - i), [&] {
                   out.Work(fmt::format("aten::mm, op_id = {}", seq), 14);
                 });
               });
      out.Work("nccl:all_reduce", 20);
      out.In("Optimizer.step#AdamW.step",
             [&] { out.Work("aten::_foreach_add_, op_id = 7", 25); });
    });
  }
  return out.Trace();
}

inline std::string LightningStream() {
  NameStream out;
  out.Kernel(40);
  int seq = 1;
  out.In("[pl][profile]run_training_epoch", [&] {
    for (int step = 0; step < 30; ++step) {
      out.Work("[pl][profile][_TrainingEpochLoop].train_dataloader_next", 2);
      out.In("[pl][profile]run_training_batch", [&] {
        out.In("[pl][profile][LightningModule]Net.optimizer_step", [&] {
          out.In("Optimizer.step#AdamW.step", [&] {
            out.In("[pl][profile][Strategy]SingleDeviceStrategy.training_step",
                   [&] {
                     out.In(
                         "[pl][module]torch.nn.modules.container.Sequential:"
                         " layer",
                         [&] { Operators(out, seq); });
                   });
            out.Work("[pl][profile][Strategy]SingleDeviceStrategy.backward",
                     120);
            out.Kernel(20);
          });
        });
      });
    }
  });
  return out.Trace();
}

inline std::string NemoStream() {
  NameStream out;
  out.Kernel(40);
  int seq = 1;
  for (int step = 0; step < 20; ++step) {
    out.In("nemo.core.optim.mcore_optim.step.closure", [&] {
      out.In(
          "megatron.core.pipeline_parallel.schedules.forward_backward_no_"
          "pipelining.steady",
          [&] {
            for (int layer = 0; layer < 12; ++layer) {
              out.Work("transformer_engine._LayerNormLinear.forward.gemm", 30);
              out.Work(
                  "transformer_engine._LayerNormLinear.forward.input_"
                  "cast_comm",
                  4);
              Operators(out, seq);
            }
            out.Work("transformer_engine._Linear.backward.dgrad_gemm", 90);
            out.Work(
                "transformer_engine._Linear.backward.column_parallel_"
                "comm_dgrad",
                9);
          });
    });
    out.Work("nemo.core.optim.mcore_optim.step.step", 40);
  }
  return out.Trace();
}

inline std::string NcclStream() {
  NameStream out;
  for (int step = 0; step < 50; ++step) {
    out.Work("ncclAllReduce", 30, "NCCL");
    out.Work("ncclSend", 5, "NCCL");
    out.In(
        "ncclGroupEnd", [&] { out.Kernel(5); }, "NCCL");
  }
  return out.Trace();
}

}  // namespace rangefinder::testing
