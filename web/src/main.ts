// What runs when the page is opened; who measures it, sees when it is done.

import { start } from "./show.ts";

void start().then(() => (document.documentElement.dataset.ready = "yes"));
