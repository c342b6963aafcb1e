// What runs when the page is opened. Whoever measures it finds two marks: "shown"
// when there is something to see, and "ready" when all that is packed is, too.

import { start } from "./show.ts";

void start().then(() => {
  performance.mark("ready");
  document.documentElement.dataset.ready = "yes";
});
