// What runs when the page is opened.

import { start } from "./show.ts";

void start();
