// Writes a configuration tree as YAML by libyaml's emitter, in the layout of
// PyYAML's dump, which OmegaConf uses.

#include <algorithm>
#include <cmath>
#include <new>

#include <yaml.h>

#include "base/json_text.h"
#include "base/text.h"
#include "config/scalar.h"
#include "config/yaml.h"

namespace rangefinder {
namespace {

constexpr int kWidth = 80;  // columns, PyYAML's default
constexpr std::size_t kBase64Line = 76;

// Whether a reader takes the unquoted text for anything but a string: YAML 1.1
// with "y" and "n", PyYAML's timestamps, Python's int() and float().
bool LooksTyped(std::string_view text) {
  return ResolvePlain(text) != YamlTag::kString || text == "y" || text == "Y" ||
         text == "n" || text == "N" || IsTimestamp(text) || PythonInt(text) ||
         PythonFloatOf(text);
}

// The text of a scalar that is no string, as YAML 1.1 reads it.
std::string PlainText(const Node& node) {
  if (node.is_null()) return "null";
  if (node.kind == NodeKind::kBool) return node.boolean ? "true" : "false";
  if (node.kind != NodeKind::kFloat) return PythonStr(node);
  if (std::isnan(node.number)) return ".nan";
  if (std::isinf(node.number)) return node.number < 0 ? "-.inf" : ".inf";
  // YAML 1.1 takes no "1e+22" for a number.
  std::string text = PythonFloat(node.number);
  const std::size_t e = text.find('e');
  if (e != std::string::npos && text.find('.') == std::string::npos)
    text.insert(e, ".0");
  return text;
}

yaml_char_t* Chars(std::string& text) {
  return reinterpret_cast<yaml_char_t*>(text.data());
}

class Emitter {
 public:
  Emitter() {
    if (yaml_emitter_initialize(&emitter_) == 0) throw std::bad_alloc();
    yaml_emitter_set_output(&emitter_, Append, &out_);
    yaml_emitter_set_width(&emitter_, kWidth);
    yaml_emitter_set_unicode(&emitter_, 1);
  }
  Emitter(const Emitter&) = delete;
  Emitter& operator=(const Emitter&) = delete;
  ~Emitter() { yaml_emitter_delete(&emitter_); }

  std::string Run(const Node& node) {
    Emit(yaml_stream_start_event_initialize, YAML_UTF8_ENCODING);
    Emit(yaml_document_start_event_initialize, nullptr, nullptr, nullptr, 1);
    Value(node);
    Emit(yaml_document_end_event_initialize, 1);
    Emit(yaml_stream_end_event_initialize);
    return std::move(out_);
  }

 private:
  static int Append(void* out, unsigned char* bytes, std::size_t size) {
    static_cast<std::string*>(out)->append(reinterpret_cast<char*>(bytes),
                                           size);
    return 1;
  }

  // All text is valid UTF-8, so libyaml fails only for lack of memory.
  template <typename Initialize, typename... Arguments>
  void Emit(Initialize initialize, Arguments... arguments) {
    yaml_event_t event;
    if (initialize(&event, arguments...) == 0 ||
        yaml_emitter_emit(&emitter_, &event) == 0)
      throw std::bad_alloc();
  }

  void Scalar(std::string text, yaml_scalar_style_t style, const char* tag) {
    std::string owned_tag = tag == nullptr ? "" : tag;
    const int implicit = tag == nullptr ? 1 : 0;
    Emit(yaml_scalar_event_initialize, nullptr,
         tag == nullptr ? nullptr : Chars(owned_tag), Chars(text),
         static_cast<int>(text.size()), implicit, implicit, style);
  }

  void Value(const Node& node) {
    switch (node.kind) {
      case NodeKind::kMap:
        Emit(yaml_mapping_start_event_initialize, nullptr, nullptr, 1,
             YAML_BLOCK_MAPPING_STYLE);
        for (const Entry& entry : node.entries) {
          Value(entry.key);
          Value(entry.value);
        }
        return Emit(yaml_mapping_end_event_initialize);
      case NodeKind::kList:
        Emit(yaml_sequence_start_event_initialize, nullptr, nullptr, 1,
             YAML_BLOCK_SEQUENCE_STYLE);
        for (const Node& item : node.items) Value(item);
        return Emit(yaml_sequence_end_event_initialize);
      case NodeKind::kBytes:
        return Scalar(Base64Lines(node.text), YAML_LITERAL_SCALAR_STYLE,
                      "tag:yaml.org,2002:binary");
      case NodeKind::kString:
        return Scalar(ValidUtf8(node.text),
                      LooksTyped(node.text) ? YAML_SINGLE_QUOTED_SCALAR_STYLE
                                            : YAML_PLAIN_SCALAR_STYLE,
                      nullptr);
      default:
        return Scalar(PlainText(node), YAML_PLAIN_SCALAR_STYLE, nullptr);
    }
  }

  static std::string Base64Lines(std::string_view bytes) {
    std::string text;
    AppendBase64(bytes, text);
    std::string lines;
    for (std::size_t at = 0; at < text.size(); at += kBase64Line)
      lines += text.substr(at, kBase64Line) + "\n";
    return lines;
  }

  yaml_emitter_t emitter_{};
  std::string out_;
};

}  // namespace

std::string WriteYaml(const Node& node) {
  return Emitter().Run(node);
}

}  // namespace rangefinder
