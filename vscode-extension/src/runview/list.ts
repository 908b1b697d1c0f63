/** A list of any length: only the rows in sight are elements. Rows may have any height, which may change. */

/** Pixels above and below that are rendered, too. */
const SPARE = 400;

export class VirtualList {
  readonly element = document.createElement("div");
  private readonly room = document.createElement("div");
  private heights = new Float64Array(0);
  /** A tree of sums (Fenwick) over the heights. */
  private sums = new Float64Array(1);
  private readonly shown = new Map<number, HTMLElement>();
  private readonly sizes: ResizeObserver;
  private count = 0;
  /** What rows of a kind take, once one was measured. */
  private readonly known = new Map<string, number>();
  private isMeasured = new Uint8Array(0);

  /**
   * `render` makes the element of a row; rows of one `kind` begin with the same height, `height` until one is measured
   * ("": nobody knows); `moved` is told of what is in sight.
   */
  constructor(
    private readonly render: (at: number) => HTMLElement,
    private readonly kind: (at: number) => string,
    private readonly height: number,
    private readonly moved: () => void,
  ) {
    this.element.className = "list";
    this.room.className = "room";
    this.element.append(this.room);
    this.sizes = new ResizeObserver((entries) => {
      this.measured(entries);
    });
    this.element.addEventListener("scroll", () => {
      this.fill();
      moved();
    }, { passive: true });
    let width = 0;
    new ResizeObserver(() => {
      if (width !== this.element.clientWidth) this.known.clear(); // in another width they take other heights
      width = this.element.clientWidth;
      this.fill();
    }).observe(this.element);
  }

  /** Other rows. Stays where it is, as far as there are rows. */
  reset(count: number): void {
    this.count = count;
    this.heights = new Float64Array(count);
    this.isMeasured = new Uint8Array(count);
    this.clear();
    this.guess();
    this.fill();
  }

  /** Rows that nobody has measured have the height of their kind. */
  private guess(): void {
    this.sums = new Float64Array(this.count + 1);
    for (let at = 1; at <= this.count; at++) {
      if (this.isMeasured[at - 1] === 0) this.heights[at - 1] = this.known.get(this.kind(at - 1)) ?? this.height;
      this.sums[at] = this.sums[at]! + this.heights[at - 1]!;
      const above = at + (at & -at);
      if (above <= this.count) this.sums[above] = this.sums[above]! + this.sums[at]!;
    }
  }

  /** The rows are rendered anew; their heights stay. */
  renew(...only: number[]): void {
    const held = document.activeElement;
    for (const at of only.length > 0 ? only : [...this.shown.keys()]) {
      const old = this.shown.get(at);
      if (!old) continue;
      const had = old.contains(held);
      const element = this.make(at);
      this.sizes.unobserve(old);
      old.replaceWith(element);
      this.shown.set(at, element);
      this.sizes.observe(element);
      if (had) element.focus({ preventScroll: true });
    }
  }

  /** The element of a row that is in sight. */
  at(index: number): HTMLElement | undefined {
    return this.shown.get(index);
  }

  get elements(): Iterable<HTMLElement> {
    return this.shown.values();
  }

  /** The first and last row in sight. */
  get sight(): [number, number] {
    const top = this.element.scrollTop;
    return [this.find(top), this.find(top + this.element.clientHeight - 1)];
  }

  /** Brings a row into sight: at the middle, unless it is there already. Its real place is known once it is measured. */
  reveal(index: number, where: "nearest" | "start" = "nearest"): void {
    if (index < 0 || index >= this.count) return;
    for (let tries = 0; tries < 3; tries++) {
      const top = this.offset(index);
      const { scrollTop, clientHeight } = this.element;
      const bottom = top + (this.heights[index] ?? 0);
      const isSeen = top >= scrollTop && bottom <= scrollTop + clientHeight;
      if (where === "nearest" && isSeen) return;
      this.element.scrollTop = where === "start" ? top : Math.max(0, top - clientHeight / 3);
      this.fill();
      this.measureNow();
    }
  }

  private clear(): void {
    for (const element of this.shown.values()) {
      this.sizes.unobserve(element);
      element.remove();
    }
    this.shown.clear();
  }

  private make(at: number): HTMLElement {
    const element = this.render(at);
    element.style.transform = `translateY(${this.offset(at)}px)`;
    element.dataset["at"] = `${at}`;
    return element;
  }

  private fill(): void {
    this.room.style.height = `${this.offset(this.count)}px`;
    if (this.count === 0) return;
    const { scrollTop, clientHeight } = this.element;
    const first = this.find(scrollTop - SPARE);
    const last = this.find(scrollTop + clientHeight + SPARE);
    for (const [at, element] of this.shown) {
      if ((at < first || at > last) && !element.contains(document.activeElement)) {
        this.sizes.unobserve(element);
        element.remove();
        this.shown.delete(at);
      }
    }
    for (let at = first; at <= last; at++) {
      if (this.shown.has(at)) continue;
      const element = this.make(at);
      this.shown.set(at, element);
      this.place(element, at);
      this.sizes.observe(element);
    }
  }

  /** Elements stand in the order of rows, for keyboards and screen readers. */
  private place(element: HTMLElement, at: number): void {
    const last = this.room.lastElementChild as HTMLElement | null;
    if (!last || Number(last.dataset["at"]) < at) this.room.append(element);
    else this.room.insertBefore(element, [...this.room.children].find((other) => Number((other as HTMLElement).dataset["at"]) > at) ?? null);
  }

  private measureNow(): void {
    for (const [at, element] of this.shown) this.grown(at, element.offsetHeight);
    this.learn();
    this.settle();
  }

  private measured(entries: ResizeObserverEntry[]): void {
    const top = this.element.scrollTop;
    let above = 0;
    let isOther = false;
    for (const { target } of entries) {
      const at = Number((target as HTMLElement).dataset["at"]);
      if (this.shown.get(at) !== target) continue;
      const isAbove = this.offset(at) + (this.heights[at] ?? 0) <= top;
      const more = this.grown(at, (target as HTMLElement).offsetHeight);
      if (isAbove) above += more;
      isOther ||= more !== 0;
    }
    if (!this.learn() && !isOther) return;
    this.settle();
    if (above !== 0) this.element.scrollTop = top + above;
    this.fill();
    this.moved();
  }

  /** Of kinds that are seen for the first time, what they take; whether there is any. */
  private learn(): boolean {
    const before = this.known.size;
    for (const at of this.shown.keys()) {
      const kind = this.kind(at);
      if (kind !== "" && this.isMeasured[at] === 1 && !this.known.has(kind)) this.known.set(kind, this.heights[at]!);
    }
    if (this.known.size === before) return false;
    const held = this.find(this.element.scrollTop);
    const into = this.element.scrollTop - this.offset(held);
    this.guess();
    if (this.element.scrollTop > 0) this.element.scrollTop = this.offset(held) + into;
    return true;
  }

  /** A row has another height; by how much. */
  private grown(at: number, height: number): number {
    const more = height - (this.heights[at] ?? 0);
    if (height === 0) return 0;
    this.isMeasured[at] = 1;
    if (more === 0) return 0;
    this.heights[at] = height;
    for (let node = at + 1; node <= this.count; node += node & -node) this.sums[node] = this.sums[node]! + more;
    return more;
  }

  private settle(): void {
    this.room.style.height = `${this.offset(this.count)}px`;
    for (const [at, element] of this.shown) element.style.transform = `translateY(${this.offset(at)}px)`;
  }

  /** Pixels above a row. */
  private offset(at: number): number {
    let sum = 0;
    for (let node = Math.min(at, this.count); node > 0; node -= node & -node) sum += this.sums[node]!;
    return sum;
  }

  /** The row at a height. */
  private find(pixels: number): number {
    let at = 0;
    let left = Math.max(0, pixels);
    for (let bit = 1 << Math.floor(Math.log2(Math.max(1, this.count))); bit > 0; bit >>= 1) {
      const next = at + bit;
      if (next <= this.count && this.sums[next]! <= left) {
        at = next;
        left -= this.sums[next]!;
      }
    }
    return Math.min(at, Math.max(0, this.count - 1));
  }
}
