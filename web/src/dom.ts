// Making elements. Text only ever goes in as text: there is no innerHTML in
// this program, so no name of a range can become markup.

type Child = globalThis.Node | string | null | undefined | false;
type Properties = Record<
  string,
  string | number | boolean | null | undefined | ((event: never) => void)
>;

// h("td", {class: "number", title: "..."}, "text", child): `on*` properties are
// listeners, false and null are left out, true is an empty attribute.
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  set(element, properties);
  append(element, children);
  return element;
}

function set(element: Element, properties: Properties): void {
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") {
      element.addEventListener(name.slice(2), value as EventListener);
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
}

export function append(element: Element, children: Child[]): void {
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) {
      element.append(child);
    }
  }
}

const svgNamespace = "http://www.w3.org/2000/svg";

// The same of a drawing.
export function svg(
  tag: string,
  properties: Properties,
  ...children: Child[]
): SVGElement {
  const element = document.createElementNS(svgNamespace, tag);
  set(element, properties);
  append(element, children);
  return element;
}

export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  append(element, children);
}

// A metric's name that may break after its underscores.
export function breakable(name: string): Child[] {
  return name
    .split(/(?<=_)(?=[^_])/)
    .flatMap((part, i) => (i ? [h("wbr"), part] : [part]));
}

// `text` with the places where `query` (lower case) occurs marked.
export function marked(text: string, query: string): Child[] {
  if (query === "") return [text];
  const lower = text.toLowerCase();
  if (lower.length !== text.length) return [text];
  const parts: Child[] = [];
  let from = 0;
  for (
    let at = lower.indexOf(query);
    at >= 0;
    at = lower.indexOf(query, from)
  ) {
    parts.push(text.slice(from, at));
    parts.push(h("mark", {}, text.slice(at, at + query.length)));
    from = at + query.length;
  }
  parts.push(text.slice(from));
  return parts;
}
