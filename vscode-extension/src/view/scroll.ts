/** Scrolling: what scrolls can be reached by keyboard, and the end is followed only by who is there. */

/** So near to the end counts as being there. */
const SLACK_PX = 24;

const overflow = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (!(target instanceof HTMLElement)) continue;
    const scrolls = target.scrollWidth > target.clientWidth + 1;
    if (!scrolls) {
      for (const name of ["tabindex", "role", "aria-label"]) target.removeAttribute(name);
      continue;
    }
    target.tabIndex = 0;
    target.setAttribute("role", "group");
    target.setAttribute("aria-label", target.dataset.label ?? "Code");
  }
});

/** Makes a block a stop of the Tab key while it is wider than its place. */
export function reachableIfScrolled(block: HTMLElement): void {
  overflow.observe(block);
}

/** Keeps the end of a scroller in sight while the user is there. */
export class Follower {
  /** The user is at the end. */
  following = true;
  private grows = true;

  constructor(
    private readonly scroller: HTMLElement,
    content: HTMLElement,
    private readonly onChange: (following: boolean) => void,
  ) {
    scroller.addEventListener("scroll", () => {
      if (this.grows) this.set(this.atEnd());
    }, { passive: true });
    const observer = new ResizeObserver(() => {
      if (!this.grows) return;
      if (this.following) this.toEnd();
      else this.set(this.atEnd());
    });
    observer.observe(content);
    observer.observe(scroller);
  }

  /** Goes to the end and stays there. */
  toEnd(): void {
    this.scroller.scrollTop = this.scroller.scrollHeight;
    this.set(true);
  }

  /** Without turns there is a page, read from its top. */
  setGrows(grows: boolean): void {
    this.grows = grows;
    if (grows) return;
    this.scroller.scrollTop = 0;
    this.set(true);
  }

  /** Goes to where the user was before a reload. */
  restore(top: number): void {
    this.set(false);
    this.scroller.scrollTop = top;
  }

  private atEnd(): boolean {
    return this.scroller.scrollHeight - this.scroller.scrollTop - this.scroller.clientHeight <= SLACK_PX;
  }

  private set(following: boolean): void {
    if (following === this.following) return;
    this.following = following;
    this.onChange(following);
  }
}
