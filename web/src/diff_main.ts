// Entry point of the page of a comparison; sets the same marks as main.ts.

import { startDiff } from "./diff_show.ts";

void startDiff().then(() => {
  performance.mark("ready");
  document.documentElement.dataset.ready = "yes";
});
performance.mark("shown");
