// What runs when the page is opened. Whoever measures it finds two marks: when
// there is something to see, and when all that is packed is shown, too.

import { start } from "./show.ts";

void start().then(() => {
  performance.mark("ready");
  document.documentElement.dataset.ready = "yes";
});
performance.mark("shown");
