#include "app/config_text.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli.h"
#include "base/text.h"
#include "config/yaml.h"

namespace rangefinder {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

ConfigRequest Request(std::vector<std::string> overrides = {}) {
  ConfigRequest request;
  request.settings.overrides = std::move(overrides);
  request.settings.surroundings.cwd = "/here";
  request.settings.surroundings.environment = [](const std::string&) {
    return std::nullopt;
  };
  return request;
}

std::string Output(const ConfigRequest& request) {
  Result<std::string> text = ConfigCommand(request);
  return text.ok() ? std::move(text).value()
                   : "error: " + text.error().message();
}

Node Parsed(const std::string& text) {
  Result<Node> node =
      ReadYaml(std::make_shared<const Source>(Source{.text = text}));
  EXPECT_TRUE(node.ok()) << text;
  return node.ok() ? std::move(node).value() : Node{};
}

TEST(ConfigCommand, PrintsTheTreeAsYamlThatReadsBack) {
  const std::string yaml = Output(Request({"device=cuda:3"}));
  const Node tree = Parsed(yaml);
  EXPECT_EQ(tree.Find("device")->text, "cuda:3");
  EXPECT_EQ(tree.Find("hydra"), nullptr);
  EXPECT_TRUE(tree.FindPath("pipeline.ncu.ncu_cli.nvtx.include")->is_null());
}

TEST(ConfigCommand, JsonIsTheSameTree) {
  ConfigRequest request = Request({"+f=inf", "+m={1: a}"});
  request.format = "json";
  const std::string json = Output(request);
  EXPECT_THAT(json, HasSubstr("\"f\": {\n    \"$float\": \"inf\"\n  }"));
  EXPECT_THAT(json, HasSubstr("\"$pairs\": ["));
  EXPECT_THAT(json, HasSubstr("\"replay_mode\": \"kernel\""));
  request.format = "xml";
  EXPECT_THAT(Output(request), HasSubstr("expected yaml or json"));
}

TEST(ConfigCommand, ResolveReplacesInterpolations) {
  ConfigRequest request = Request({"+where=${device}"});
  EXPECT_THAT(Output(request), HasSubstr("where: ${device}\n"));
  request.resolve = true;
  EXPECT_THAT(Output(request), HasSubstr("where: cuda:0\n"));
  request = Request({"+where=${nowhere}"});
  request.resolve = true;
  EXPECT_THAT(Output(request),
              StartsWith("error: Interpolation key 'nowhere' not found\n"));
}

TEST(ConfigCommand, HydraAddsItsNode) {
  ConfigRequest request = Request({"hydra.run.dir=x"});
  request.part = "all";
  request.resolve = true;
  const Node tree = Parsed(Output(request));
  EXPECT_EQ(tree.FindPath("hydra.run.dir")->text, "x");
  EXPECT_EQ(tree.FindPath("hydra.runtime.output_dir")->text, "/here/x");
  EXPECT_EQ(tree.FindPath("hydra.overrides.hydra.0")->text, "hydra.run.dir=x");
}

TEST(ConfigCommand, PackageIsAPartOfTheTree) {
  ConfigRequest request = Request();
  request.package = "regions.domains";
  EXPECT_EQ(Output(request),
            "# @package regions.domains\ninclude: []\nexclude: []\n");
  request.package = "regions.domain";
  EXPECT_THAT(Output(request), HasSubstr("Did you mean 'regions.domains'?"));
  request.package = "hydra.run.dir";
  EXPECT_THAT(Output(request),
              HasSubstr("'hydra.run.dir' is a key of Hydra: show it with "
                        "--hydra"));
  request.package = "hydra.run.dri";
  EXPECT_THAT(Output(request), HasSubstr("Did you mean 'hydra.run.dir'?"));
}

TEST(ConfigCommand, SourcesNameTheFileAndLineOfEveryValue) {
  ConfigRequest request = Request({"device=cuda:1"});
  request.sources = true;
  const std::string text = Output(request);
  EXPECT_THAT(text, ::testing::ContainsRegex("device: cuda:1 +# command line: "
                                             "device=cuda:1\n"));
  EXPECT_THAT(text,
              ::testing::ContainsRegex("pipeline.ncu.ncu_cli.set: roofline "
                                       "+# conf/profiling/ncu/"
                                       "ncu.default.yaml:[0-9]+\n"));
  for (const std::string& line : Split(text, '\n')) {
    EXPECT_TRUE(line.empty() || line.find("  # ") != std::string::npos) << line;
  }
  request.format = "json";
  EXPECT_THAT(Output(request), HasSubstr("\"file\": \"conf/config.yaml\""));
}

TEST(ConfigCommand, ExplainTellsTypeValueAndPlace) {
  ConfigRequest request = Request();
  request.explain = "pipeline.ncu.ncu_cli.replay_mode";
  EXPECT_THAT(Output(request),
              ::testing::AllOf(HasSubstr("type:           one of: kernel, "
                                         "application, range, app-range\n"),
                               HasSubstr("flag:           --replay-mode\n"),
                               HasSubstr("value:          kernel\n"),
                               HasSubstr("ncu.default.yaml:")));
  request.explain = "pipeline.ncu.ncu_cli.cache_control";
  EXPECT_THAT(Output(request), HasSubstr("default of ncu: all\n"));
  request.explain = "pipeline.ncu.ncu_cli.cache_contrl";
  EXPECT_THAT(Output(request), HasSubstr("Did you mean"));
}

TEST(ConfigCommand, GroupsListOptionsAndChoices) {
  ConfigRequest request = Request({"profiling/ncu@pipeline.ncu=ncu.llm"});
  request.groups = true;
  const std::string text = Output(request);
  EXPECT_THAT(text, HasSubstr("profiling/ncu: ncu.compute, ncu.default, "));
  EXPECT_THAT(text, HasSubstr("profiling/ncu@pipeline.ncu=ncu.llm\n"));
}

TEST(ConfigCommand, WithoutTheEmbeddedFilesThereIsNoPrimary) {
  ConfigRequest request = Request();
  request.settings.embedded = false;
  EXPECT_THAT(Output(request),
              StartsWith("error: Cannot find primary config 'config'. Check "
                         "that it's in your config search path."));
}

TEST(ConfigCommand, HydraAloneIsWithoutItsHelp) {
  ConfigRequest request = Request({"hydra.run.dir=x"});
  request.part = "hydra";
  const Node tree = Parsed(Output(request));
  ASSERT_EQ(tree.entries.size(), 1U);
  EXPECT_EQ(tree.FindPath("hydra.run.dir")->text, "x");
  EXPECT_EQ(tree.FindPath("hydra.help"), nullptr);
  EXPECT_EQ(tree.FindPath("hydra.hydra_help"), nullptr);
}

TEST(Completion, KnowsCommandsOptionsKeysValuesAndPresets) {
  for (const std::string_view shell : {"bash", "zsh"}) {
    const Result<std::string> script = CompletionScript(shell);
    ASSERT_TRUE(script.ok());
    for (const std::string_view word :
         {"profile discover run window report show", "--config-dir",
          "--format=perfetto", "--dry-run", "--color=never",
          "pipeline.ncu.ncu_cli.replay_mode=app-range",
          "pipeline.ncu.ncu_cli.kernel_name=", "hydra.run.dir=",
          "profiling/ncu@pipeline.ncu=ncu.regions", "regions.aggregate=false"})
      EXPECT_THAT(script.value(), HasSubstr(word)) << shell;
    // Nothing that is refused.
    EXPECT_THAT(script.value(), Not(HasSubstr("multirun"))) << shell;
  }
  EXPECT_FALSE(CompletionScript("fish").ok());
}

TEST(Completion, OffersACommandItsOwnOptions) {
  for (const CommandWords& words : WordsOfCommands()) {
    const bool has =
        std::ranges::find(words.options, "--dry-run") != words.options.end();
    EXPECT_EQ(has, words.command == "profile" || words.command == "window")
        << words.command;
  }
}

}  // namespace
}  // namespace rangefinder
