// What runs when the page of a comparison is opened; marked as main.ts does.

import { startDiff } from "./diff_show.ts";

void startDiff().then(() => {
  performance.mark("ready");
  document.documentElement.dataset.ready = "yes";
});
performance.mark("shown");
