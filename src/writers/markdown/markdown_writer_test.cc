#include "writers/markdown/markdown_writer.h"

#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/sample_document.h"

namespace rangefinder {
namespace {

std::string Written(const Document& document) {
  std::ostringstream out;
  WriteMarkdown(document, out);
  return std::move(out).str();
}

TEST(MarkdownWriter, WritesEveryBlock) {
  EXPECT_EQ("\n" + Written(SampleDocument()), R"(
# Report

- **GPU idle 96 % of step: launch-bound**. Look at: a CUDA graph.

```
./train --name=‹x>
```

## Regions

12 kernels, 9.00 ms GPU time.

| region | time | launches | DRAM % of peak | max/mean |
|:--|--:|--:|--:|--:|
| step | 9.00 ms | 12,345 | 41.2 ± 1.6 % | 1.50× |
| &emsp;└ a\|b\\x1b | 4.50 ms | 2 | – | – |
| &emsp;&emsp;as a whole | 6.00 ms | | – | – |
| load; was setup | 10 ns | 1 | 3 % | – |

*2 more rows: `regions.max_rows`*

<details><summary>All 3 regions</summary>

**12 of 840 launches carry counters**

</details>

## Notes

- warning: the file ends early\\n  at \*byte\* 7
- 1\. is not a number

1. nothing was measured
)");
}

TEST(MarkdownWriter, KeepsForeignTextAsText) {
  Document document;
  document.AddParagraph("- <script>*x*</script>");
  document.AddParagraph(Text("see ") + Link("all", "kernels.md") + " or " +
                        Code("a`b"));
  EXPECT_EQ("\n" + Written(document), R"(
\- &lt;script&gt;\*x\*&lt;/script&gt;

see [all](kernels.md) or `a'b`
)");
}

}  // namespace
}  // namespace rangefinder
