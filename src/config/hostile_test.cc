// Hostile or mistaken configurations, each with a clear error.

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/compose.h"
#include "config/override.h"
#include "config/yaml.h"
#include "tests/fuzz/config_oracles.h"

namespace rangefinder {
namespace {

using ::testing::HasSubstr;

std::string YamlError(const std::string& text) {
  const Result<Node> node = ReadYaml(
      std::make_shared<const Source>(Source{.name = "x.yaml", .text = text}));
  if (node.ok()) return "(accepted)";
  EXPECT_EQ(node.error().code(), ErrorCode::kUsage);
  return node.error().message();
}

std::string Repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(HostileYaml, DeepNestingIsRefused) {
  EXPECT_THAT(YamlError("a: " + Repeat("[", 100000)), HasSubstr("200 deep"));
  EXPECT_THAT(YamlError("a: " + Repeat("{a: ", 100000)), HasSubstr("200 deep"));
  EXPECT_THAT(YamlError(Repeat("- ", 100000)), HasSubstr("200 deep"));
  std::string steps;
  for (int i = 0; i < 500; ++i) steps += std::string(i, ' ') + "a:\n";
  EXPECT_THAT(YamlError(steps), HasSubstr("200 deep"));
}

TEST(HostileYaml, AliasesThatExpandAThousandfoldAreRefused) {
  std::string bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c < 'k'; ++c) {
    const char before = static_cast<char>(c - 1);
    bomb += fmt::format("{0}: &{0} [{1}]\n", c,
                        Repeat(fmt::format("*{}, ", before), 10));
  }
  EXPECT_THAT(YamlError(bomb), HasSubstr("aliases of this file expand to more "
                                         "than 20000 values"));
}

TEST(HostileYaml, EnormousMapsAreRefused) {
  std::string text;
  for (int i = 0; i < 10001; ++i) text += fmt::format("k{}: 1\n", i);
  EXPECT_THAT(YamlError(text), HasSubstr("more than 10000 keys in one map"));
}

TEST(HostileYaml, HugeFilesAreRefused) {
  EXPECT_THAT(YamlError(std::string((4u << 20) + 1, ' ')),
              HasSubstr("the limit is 4 MiB"));
}

TEST(HostileYaml, TabsBytesAndDuplicatesNameTheirPlace) {
  EXPECT_EQ(YamlError("a:\n\tb: 1\n"),
            "x.yaml:2:1: a tab cannot stand here: YAML is indented and "
            "separated by spaces\n"
            "  2 | \\tb: 1\n"
            "    | ^");
  EXPECT_EQ(YamlError("a: 1\nb: \xff\n"),
            "x.yaml:2: byte 0xff is not valid UTF-8 (at offset 8); save the "
            "file as UTF-8");
  EXPECT_EQ(YamlError("a: 1\nbc: 2\nbc: 3\n"),
            "x.yaml:3:1: found duplicate key 'bc' (the first is in line 2)\n"
            "  3 | bc: 3\n"
            "    | ^^");
  EXPECT_THAT(YamlError("a: \x01\n"), HasSubstr("U+0001"));
  EXPECT_EQ(YamlError("\xEF\xBB\xBF"
                      "a: 1\n"),
            "(accepted)");
}

TEST(HostileYaml, NestedAnchorsAreRefused) {
  // Each anchor keeps its content: together, a hundred times the file.
  std::string text = "a: ";
  for (int i = 0; i < 150; ++i) text += fmt::format("&a{} [", i);
  EXPECT_THAT(YamlError(text + Repeat("x, ", 5000) + Repeat("]", 150)),
              HasSubstr("the anchors of this file hold more than 200000"));
}

TEST(HostileYaml, TextsOfQuadraticTimeAreRefused) {
  EXPECT_THAT(YamlError("a: b" + std::string(1001, ' ') + Repeat("c ", 100)),
              HasSubstr("x.yaml:1:1: more than 1000 blanks or empty lines in a "
                        "row"));
  EXPECT_THAT(YamlError("a: |\n" + std::string(1001, '\n') + " b\n"),
              HasSubstr("more than 1000 blanks or empty lines"));
  std::string tags;
  for (int i = 0; i <= 100; ++i) tags += fmt::format("%TAG !t{}! x\n", i);
  EXPECT_THAT(YamlError(tags + "---\na: 1\n"),
              HasSubstr("x.yaml:101:1: more than 100 directives"));
}

// The CPU seconds for reading `text`, the least of three.
double Seconds(const std::string& text) {
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    const std::clock_t start = std::clock();
    YamlError(text);
    least = std::min(least, static_cast<double>(std::clock() - start));
  }
  return least / CLOCKS_PER_SEC;
}

TEST(HostileYaml, TimeIsLinearInTheText) {
  struct Shape {
    std::string_view name;
    std::string begin;
    std::string more;
  };
  const std::string blanks(900, ' ');
  const std::string lines(900, '\n');
  const Shape shapes[] = {
      {"list", "", "- a\n"},
      {"flow list", "a: [", "b, "},
      {"deep flow list", Repeat("[", 190), "b, "},
      {"flow maps", "[", "{? a : b}, "},
      {"words after blanks", "a: b" + blanks, "c "},
      {"quoted words after blanks", "a: 'b" + blanks, "c "},
      {"lines after empty lines", "a: b" + lines, " c\n\n"},
      {"block text", "a: |" + lines, " b\n\n"},
      {"comments", "a: 1 #", "#"},
      {"escapes", "a: \"", "\\n"},
      {"maps merged", "<<: [", "{}, "},
      {"merges", "", "<<: {a: b}\n"},
      {"marks and tabs", "a: 1 # ? ", "\t?"},
  };
  constexpr int kSmall = 1 << 14;
  for (const Shape& shape : shapes) {
    const auto text = [&](int bytes) {
      const int size = static_cast<int>(shape.more.size());
      return shape.begin + Repeat(shape.more, bytes / size);
    };
    const double small = Seconds(text(kSmall));
    const double large = Seconds(text(8 * kSmall));
    // 8 for linear time, 64 for quadratic. Times near 0 are not compared.
    EXPECT_TRUE(large < 0.002 || large < 24 * small)
        << shape.name << ": " << small << " s, then " << large << " s";
  }
}

TEST(HostileYaml, TextsThatHydrasScannerRefusesAreRefused) {
  EXPECT_EQ(YamlError("a: 1 # a\ttab\nb: 2\t# here\n"),
            "x.yaml:2:5: a tab cannot stand here: YAML is indented and "
            "separated by spaces\n"
            "  2 | b: 2\\t# here\n"
            "    |     ^");
  EXPECT_THAT(YamlError("a: b\tc\n"), HasSubstr("x.yaml:1:5: a tab"));
  EXPECT_EQ(YamlError("a: \"b\tc\"\nd: |2\n  \te\tf\n"), "(accepted)");
  EXPECT_THAT(YamlError("a: |\n  \tb\n"),
              HasSubstr("x.yaml:2:3: say how far a text that begins with a tab "
                        "is indented"));
  EXPECT_EQ(YamlError("é: [a, b?c]\n"),
            "x.yaml:1:9: '?' begins a key here: quote the value, as in "
            "\"???\"\n"
            "  1 | é: [a, b?c]\n"
            "    |         ^");
  EXPECT_EQ(YamlError("a: b?c\n"), "(accepted)");
  EXPECT_THAT(YamlError("a: [???]\n"),
              HasSubstr("x.yaml:1:6: '?' begins a key here"));
}

TEST(HostileYaml, MessagesTellTheRemedy) {
  EXPECT_THAT(YamlError("a: b: c\n"), HasSubstr("quote the value"));
  EXPECT_THAT(YamlError("a: *x\n"), HasSubstr("no anchor '&x' before this"));
  EXPECT_THAT(YamlError("a: [1, 2\n"), HasSubstr("x.yaml:1:4: this bracket is "
                                                 "never closed"));
  EXPECT_THAT(YamlError("a: 'x\n"), HasSubstr("x.yaml:1:4: this quote is never "
                                              "closed"));
  EXPECT_THAT(YamlError("a: @b\n"),
              HasSubstr("cannot begin with '@': quote it"));
  EXPECT_THAT(YamlError("a: 1\n---\nb: 2\n"),
              HasSubstr("x.yaml:2:1: a second document"));
  EXPECT_THAT(YamlError("a: {b:[1]}\n"),
              HasSubstr("x.yaml:1:6: write a blank after this ':'"));
  EXPECT_THAT(YamlError("a: {b: ${c}}\n"),
              HasSubstr("x.yaml:1:9: expected ',' or '}', found '{'; quote a "
                        "value with '{'"));
  EXPECT_THAT(YamlError("a: ["),
              HasSubstr("x.yaml:1:5: expected a value, found the end of the "
                        "file"));
  EXPECT_THAT(YamlError("a: 'b' c\n"),
              HasSubstr("x.yaml:1:8: 'c' is not expected here"));
  EXPECT_THAT(YamlError("a: \"\\q\"\n"),
              HasSubstr("x.yaml:1:5: an escape that YAML does not have"));
  EXPECT_THAT(YamlError("a: !b 1\n"),
              HasSubstr("x.yaml:1:4: the tag '!b' is not supported"));
}

TEST(HostileYaml, AByteOrderMarkMovesNoColumn) {
  EXPECT_THAT(YamlError("\xEF\xBB\xBF"
                        "a: *b\n"),
              HasSubstr("x.yaml:1:4: no anchor"));
  EXPECT_THAT(YamlError("\xEF\xBB\xBF"
                        "a: \xC3\n"),
              HasSubstr("x.yaml:1: byte 0xc3 is not valid UTF-8 (at offset "
                        "6)"));
}

TEST(HostileYaml, NulAndOtherEncodingsAreRefused) {
  EXPECT_THAT(YamlError(std::string("a: b\0c\n", 7)),
              HasSubstr("x.yaml:1:5: character U+0000 is not allowed here"));
  EXPECT_THAT(YamlError(std::string("\xFF\xFE\x61\0", 4)),
              HasSubstr("byte 0xff is not valid UTF-8 (at offset 0)"));
}

// ---- composition -----------------------------------------------------------

std::string ComposeError(std::map<std::string, std::string, std::less<>> files,
                         std::vector<std::string> overrides = {}) {
  ConfigSources sources;
  sources.AddTexts("t", std::move(files));
  const Result<Composition> composed =
      Compose(std::move(sources), {.overrides = std::move(overrides)}, {});
  if (!composed.ok()) {
    EXPECT_EQ(composed.error().code(), ErrorCode::kUsage);
    return composed.error().message();
  }
  const Result<Node> tree = composed.value().ResolvedTask();
  return tree.ok() ? "(accepted)" : tree.error().message();
}

TEST(HostileComposition, AnInterpolationInPlaceOfHydrasNodeIsRefused) {
  EXPECT_EQ(ComposeError({{"config.yaml",
                           "hydra: ${x}\n"
                           "x:\n"
                           "  run: {dir: q}\n"}}),
            "'hydra' has to be a map, not an interpolation");
}

TEST(HostileComposition, CyclesAreFound) {
  EXPECT_THAT(ComposeError({{"config.yaml", "a: ${b}\nb: ${a}\n"}}),
              HasSubstr("Recursive interpolation detected"));
  EXPECT_THAT(ComposeError({{"config.yaml", "a: ${b}\nb: {c: '${a}'}\n"}}),
              HasSubstr("Recursive interpolation detected"));
  EXPECT_THAT(ComposeError({{"config.yaml", "a: ${.a}\n"}}),
              HasSubstr("Recursive interpolation detected"));
  EXPECT_THAT(ComposeError({{"config.yaml", "defaults: [x]\n"},
                            {"x.yaml", "defaults: [y]\n"},
                            {"y.yaml", "defaults: [x]\n"}}),
              HasSubstr("refer to each other without end"));
}

TEST(HostileComposition, InterpolationsThatMultiplyAreStopped) {
  std::string bomb = "v0: [x, x, x, x, x, x, x, x, x, x]\n";
  std::string text = "t0: xxxxxxxxxxxxxxxx\n";
  for (int i = 1; i < 12; ++i) {
    bomb += fmt::format("v{}: [{}]\n", i,
                        Repeat(fmt::format("'${{v{}}}', ", i - 1), 10));
    text +=
        fmt::format("t{}: {}\n", i, Repeat(fmt::format("${{t{}}}", i - 1), 10));
  }
  EXPECT_THAT(ComposeError({{"config.yaml", bomb}}),
              HasSubstr("more than 500000 values"));
  EXPECT_THAT(ComposeError({{"config.yaml", text}}),
              HasSubstr("more than 1 MiB of text"));
}

TEST(HostileComposition, DeepInterpolationsAreRefused) {
  const std::string deep = Repeat("${", 100000);
  EXPECT_THAT(ComposeError({{"config.yaml", "a: '" + deep + "'\n"}}),
              HasSubstr("nested too deep"));
  EXPECT_THAT(
      ComposeError({{"config.yaml", "a: 1\n"}}, {"a=" + Repeat("[", 100000)}),
      HasSubstr("nested too deep"));
}

TEST(HostileComposition, AnErrorShowsItsLine) {
  EXPECT_EQ(ComposeError({{"config.yaml", "number: x\nout: dir/${numbr}\n"}}),
            "Interpolation key 'numbr' not found\n"
            "Did you mean 'number'?\n"
            "  in t/config.yaml:2:6\n"
            "  2 | out: dir/${numbr}\n"
            "    |      ^");
  EXPECT_THAT(ComposeError({{"config.yaml", "a: ${b\n"}}),
              HasSubstr("expected '}'"));
  EXPECT_THAT(ComposeError({{"config.yaml", "a: ${oc.evn:HOME}\n"}}),
              HasSubstr("Unsupported interpolation type oc.evn\n"
                        "Did you mean 'oc.env'?"));
}

TEST(HostileOverride, BytesAndLengthAreChecked) {
  EXPECT_FALSE(ParseOverride("a=\xff").ok());
  EXPECT_FALSE(ParseOverride("a=" + std::string(2u << 20, 'x')).ok());
  EXPECT_TRUE(ParseOverride("a=" + std::string(1000, '1')).ok());
}

TEST(HostileOverride, KeysOfAnyLengthAreRefusedOrTaken) {
  const std::string deep = "a" + Repeat(".a", 30000);
  for (const std::string& text :
       {deep + "=1", "+" + deep + "=1", "~" + deep, "g@" + deep + "=x",
        "+g@" + deep + "=x", "g/" + Repeat("a/", 30000) + "a=x",
        "+" + deep + "={b: 1}"})
    EXPECT_FALSE(ParseOverride(text).ok()) << text.substr(0, 20);
  EXPECT_TRUE(ParseOverride("a" + Repeat(".a", 99) + "=1").ok());
}

TEST(HostileComposition, DeepPackagesAreRefused) {
  EXPECT_THAT(ComposeError({{"config.yaml", "defaults:\n  - g@a" +
                                                Repeat(".a", 300) + ": x\n"},
                            {"g/x.yaml", "b: 1\n"}}),
              HasSubstr("more than"));
  EXPECT_THAT(ComposeError({{"config.yaml", "defaults:\n  - g: x\n"},
                            {"g/x.yaml",
                             "# @package a" + Repeat(".a", 300) + "\nb: 1\n"}}),
              HasSubstr("more than"));
}

TEST(OverrideQuoting, TheSuggestedOverrideHasTheValue) {
  for (const std::string value :
       {"A;B;A::A1", "a=b", "it's", "say \"x\"", "both ' and \"", "é", "",
        "ends\\", "\\\\", "a\\'b", "${x", "new\nline", "\\\"'"}) {
    const Result<Override> parsed =
        ParseOverride("k=" + QuoteOverrideValue(value));
    ASSERT_TRUE(parsed.ok()) << value << ": " << parsed.error().message();
    EXPECT_EQ(parsed.value().value.text, value);
  }
  EXPECT_EQ(ShellOverride("k", "A;B"), "\"k='A;B'\"");
  EXPECT_EQ(ShellOverride("k", "cost $5"), "'k='\\''cost $5'\\'''");
}

// ---- the fuzzer's corpus ---------------------------------------------------

TEST(FuzzCorpus, EveryFileIsSurvived) {
  const std::filesystem::path folder =
      std::filesystem::path(RANGEFINDER_SOURCE_DIR) /
      "tests/fuzz/corpus/config";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    testing::ConfigOfAnyBytes(bytes);
    // And every prefix of it.
    for (std::size_t n = 0; n < bytes.size(); ++n)
      testing::ConfigOfAnyBytes(std::string_view(bytes).substr(0, n));
    ++files;
  }
  EXPECT_GE(files, 14u);
}

}  // namespace
}  // namespace rangefinder
