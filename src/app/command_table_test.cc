#include <gtest/gtest.h>

#include "app/commands.h"
#include "base/embedded.h"
#include "base/text.h"
#include "config/yaml.h"

namespace rangefinder {

std::span<const EmbeddedFile> EmbeddedCommands();

namespace {

TEST(CommandTable, CommandsYamlHasTheTextsOfEveryCommandAndNoOther) {
  auto read = ReadYaml(std::make_shared<const Source>(
      Source{.name = "commands.yaml",
             .text = std::string(EmbeddedCommands()[0].content())}));
  ASSERT_TRUE(read.ok());
  std::vector<std::string> texts, commands = {"rangefinder"};
  for (const Entry& entry : read.value().entries)
    texts.push_back(PythonStr(entry.key));
  for (const Subcommand& command : Subcommands()) {
    SCOPED_TRACE(command.name);
    commands.push_back(command.name);
    EXPECT_FALSE(command.about.empty());
    EXPECT_FALSE(command.synopsis.empty());
    EXPECT_FALSE(command.text.empty());
    EXPECT_FALSE(command.examples.empty());
  }
  EXPECT_EQ(texts, commands);
}

}  // namespace
}  // namespace rangefinder
