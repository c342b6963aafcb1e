// Light or dark: as the system has it, until the user chooses.

export function switchTheme(): void {
  const root = document.documentElement;
  const dark =
    root.dataset.theme === "dark" ||
    (!root.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  root.dataset.theme = dark ? "light" : "dark";
}

// Calls `draw` whenever an element has another size, or the page is light or
// dark.
export function onAppearance(element: Element, draw: () => void): void {
  new ResizeObserver(draw).observe(element);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  new MutationObserver(draw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
}
