// Entry point of the page. Two performance marks help to measure it: "shown"
// when the page is visible, and "ready" when all packed parts are shown, too.

import { start } from "./show.ts";

void start().then(() => {
  performance.mark("ready");
  document.documentElement.dataset.ready = "yes";
});
