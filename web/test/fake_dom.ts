// The part of a browser that the page needs, so that a test can run all of it
// and read its content before and after a click or a key.

export class FakeNode {
  parent: FakeElement | null = null;
  constructor(readonly text: string) {}
  get textContent(): string {
    return this.text;
  }
}

type Listener = (event: Record<string, unknown>) => void;

export class FakeElement extends FakeNode {
  readonly attributes = new Map<string, string>();
  readonly dataset: Record<string, string> = {};
  readonly style = { setProperty() {} } as Record<string, unknown>;
  readonly clientHeight = 2000;
  readonly clientWidth = 1000;
  readonly offsetHeight = 30;
  childNodes: FakeNode[] = [];
  scrollTop = 0;
  hidden = false;
  value = "";
  private readonly listeners = new Map<string, Listener>();

  constructor(readonly tag: string) {
    super("");
  }

  get children(): FakeElement[] {
    return this.childNodes.filter((child) => child instanceof FakeElement);
  }
  get textContent(): string {
    return this.childNodes.map((child) => child.textContent).join("");
  }
  set textContent(text: string) {
    this.replaceChildren();
    this.append(text);
  }
  get classes(): string[] {
    return (this.attributes.get("class") ?? "").split(" ").filter(Boolean);
  }
  readonly classList = {
    add: (name: string) =>
      this.setAttribute("class", [...this.classes, name].join(" ")),
  };

  append(...children: (FakeNode | string)[]): void {
    for (const child of children) {
      const node = typeof child === "string" ? new FakeNode(child) : child;
      node.parent = this;
      this.childNodes.push(node);
    }
  }
  prepend(child: FakeNode): void {
    child.parent = this;
    this.childNodes.unshift(child);
  }
  remove(): void {
    const among = this.parent?.childNodes;
    among?.splice(among.indexOf(this), 1);
  }
  replaceChildren(): void {
    this.childNodes = [];
  }
  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }
  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }
  addEventListener(name: string, listener: Listener): void {
    this.listeners.set(name, listener);
  }
  querySelector(tag: string): FakeElement | null {
    return this.all((element) => element.tag === tag)[0] ?? null;
  }
  focus(): void {}
  select(): void {}

  // ---- For tests ----

  // Those inside, outer before inner.
  all(wanted: (element: FakeElement) => boolean): FakeElement[] {
    return this.children.flatMap((child) => [
      ...(wanted(child) ? [child] : []),
      ...child.all(wanted),
    ]);
  }
  attribute(name: string): string {
    return this.attributes.get(name) ?? "";
  }
  // On its own element and, rising, on those around it.
  send(name: string, event: Record<string, unknown> = {}): void {
    let stopped = false;
    const sent = {
      target: this,
      currentTarget: this,
      preventDefault() {},
      stopPropagation: () => (stopped = true),
      ...event,
    };
    for (
      let at: FakeElement | null = this;
      at && !stopped;
      at = at.parent
    ) {
      at.listeners.get(name)?.(sent);
    }
  }
}

// The page as it stands after `start` ran on a report.
export class Page {
  readonly root = new FakeElement("div");
  title = "";
  readonly location = { hash: "" };

  // Done when the packed part of the report is shown, too.
  readonly ready: Promise<void>;

  constructor(report: unknown, start: () => Promise<void>, hash = "") {
    const data = new FakeElement("script");
    const columns = new FakeElement("script");
    const { columns: packed, ...rest } = report as { columns?: unknown };
    data.textContent = JSON.stringify(rest);
    columns.textContent = JSON.stringify(packed ?? null);
    this.location.hash = hash;
    const page = this;
    Object.assign(globalThis, {
      document: {
        createElement: (tag: string) => new FakeElement(tag),
        createElementNS: (_: string, tag: string) => new FakeElement(tag),
        getElementById: (id: string) =>
          id === "app" ? this.root : id === "report" ? data : id === "columns" ? columns : null,
        documentElement: new FakeElement("html"),
        activeElement: null,
        set title(text: string) {
          page.title = text;
        },
      },
      location: this.location,
      history: {
        replaceState: (_: unknown, __: string, to: string) => {
          this.location.hash = to;
        },
      },
      ResizeObserver: class {
        observe() {}
      },
      MutationObserver: class {
        observe() {}
      },
      matchMedia: () => ({ addEventListener() {} }),
      addEventListener() {},
    });
    this.ready = start();
  }

  get text(): string {
    return this.root.textContent;
  }
  // Rows of the table of regions, as `cells` has them.
  get rows(): string[] {
    return this.root.all((e) => e.classes.includes("tree-row")).map(cells);
  }
  get columns(): string[] {
    return this.root
      .all((e) => e.attribute("role") === "columnheader")
      .map((e) => e.children.map((part) => part.textContent).join(" ").trim());
  }
  get headings(): string[] {
    return this.root
      .all((e) => e.tag === "h2" || e.tag === "h3")
      .map((e) => e.textContent);
  }
  // The rows of the table with this caption; undefined: there is none.
  table(caption: string): string[] | undefined {
    return this.root
      .all((e) => e.tag === "table" && e.attribute("aria-label") === caption)[0]
      ?.all((e) => e.tag === "tr")
      .slice(1)
      .map(cells);
  }
  button(label: string): FakeElement | undefined {
    return this.root.all((e) => e.tag === "button" && e.textContent === label)[0];
  }
  click(label: string): void {
    const button = this.button(label);
    if (!button) throw new Error(`no button ${label}`);
    button.send("click");
  }
  // A column's heading, which sorts by it.
  sortBy(column: string): void {
    const at = this.columns.indexOf(column);
    this.root
      .all((e) => e.attribute("role") === "columnheader")
      [at]!.send("click");
  }
  // A choice, by the words before it.
  choose(label: string, value: string): void {
    const select = this.root
      .all((e) => e.tag === "label" && e.childNodes[0]?.textContent === label)[0]!
      .all((e) => e.tag === "select")[0]!;
    select.value = value;
    select.send("change");
  }
  selectRow(name: string): void {
    this.root
      .all((e) => e.classes.includes("tree-row"))
      .find((row) => cells(row).split(" | ")[0] === name)!
      .send("click");
  }
  key(key: string): void {
    this.root
      .all((e) => e.attribute("role") === "treegrid")[0]!
      .send("keydown", { key });
  }
}

// Without the signs that open and close.
function cells(row: FakeElement): string {
  return row.children
    .map((cell) => cell.textContent.replace(/^[▸▾]/, ""))
    .join(" | ");
}
