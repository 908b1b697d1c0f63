/** A button that opens a short menu; by keyboard as a menu of VS Code. */

import { h } from "./dom";
import { icon, type IconName } from "./icons";

export interface MenuItem {
  label: string;
  icon?: IconName;
  run(): void;
}

/** One menu; its items are asked for when it opens. */
export class Menu {
  readonly element: HTMLElement;
  private readonly button: HTMLButtonElement;
  private readonly list: HTMLElement;

  constructor(name: IconName, label: string, private readonly items: () => MenuItem[]) {
    this.list = h("div", { class: "menu", role: "menu", "aria-label": label, hidden: true });
    this.button = h("button", {
      class: "icon-button",
      title: label,
      "aria-label": label,
      "aria-haspopup": "menu",
      "aria-expanded": "false",
      onClick: () => {
        if (this.list.hidden) this.open();
        else this.close(true);
      },
    }, icon(name));
    this.element = h("div", { class: "menu-holder" }, this.button, this.list);
    this.element.addEventListener("keydown", (event) => {
      this.onKey(event);
    });
    this.element.addEventListener("focusout", (event) => {
      if (!(event.relatedTarget instanceof Node && this.element.contains(event.relatedTarget))) this.close(false);
    });
  }

  set disabled(value: boolean) {
    this.button.disabled = value;
  }

  private open(): void {
    this.list.replaceChildren(...this.items().map((item) => this.row(item)));
    this.list.hidden = false;
    this.button.setAttribute("aria-expanded", "true");
    this.rows()[0]?.focus();
  }

  private close(back: boolean): void {
    if (this.list.hidden) return;
    this.list.hidden = true;
    this.button.setAttribute("aria-expanded", "false");
    if (back) this.button.focus();
  }

  private row(item: MenuItem): HTMLElement {
    return h("button", {
      class: "menu-item",
      role: "menuitem",
      tabindex: -1,
      title: item.label,
      onClick: () => {
        this.close(true);
        item.run();
      },
    }, item.icon ? icon(item.icon) : h("span", { class: "icon" }), h("span", { class: "menu-label" }, item.label));
  }

  private rows(): HTMLElement[] {
    return [...this.list.querySelectorAll<HTMLElement>(".menu-item")];
  }

  private onKey(event: KeyboardEvent): void {
    if (this.list.hidden) {
      if (event.key !== "ArrowDown" || event.target !== this.button) return;
      event.preventDefault();
      this.open();
      return;
    }
    const rows = this.rows();
    const at = rows.findIndex((row) => row === document.activeElement);
    const to: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 };
    const next = to[event.key];
    if (event.key === "Escape") this.close(true);
    else if (next === undefined) return;
    else rows[(next + rows.length) % rows.length]?.focus();
    event.preventDefault();
    event.stopPropagation();
  }
}
