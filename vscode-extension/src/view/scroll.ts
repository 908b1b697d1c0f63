/** Scrolling: what scrolls can be reached by keyboard, and a view that grows stays where its reader is. */

/** So near to the end counts as being there. */
const SLACK_PX = 24;
/** Between the top of the view and the question that it is held at. */
const ABOVE_PX = 10;

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

/**
 * An answer is read from its beginning: it grows until its question is at the top of the view, and is then held there. A
 * user who goes to the end is kept at the end; one who goes anywhere else is left alone.
 */
export class Follower {
  private following = true;
  private grows = true;
  /** Held at the top of the view; without one the end is followed. */
  private anchor: HTMLElement | undefined;
  /** Where this has scrolled to: anything else was the user. */
  private own = 0;

  constructor(
    private readonly scroller: HTMLElement,
    private readonly content: HTMLElement,
    private readonly onChange: (atEnd: boolean) => void,
  ) {
    scroller.addEventListener("scroll", () => {
      if (this.grows) this.scrolled();
    }, { passive: true });
    const observer = new ResizeObserver(() => {
      if (this.grows) this.follow();
    });
    observer.observe(content);
    observer.observe(scroller);
  }

  /** The user has not gone anywhere since the last question. */
  get isAnchored(): boolean {
    return this.following && this.anchor !== undefined;
  }

  /** Goes to the end and stays there. */
  toEnd(): void {
    this.anchor = undefined;
    this.following = true;
    this.follow();
  }

  /** Shows a turn from its beginning, as far as it has come. */
  anchorAt(turn: HTMLElement): void {
    this.anchor = turn;
    this.following = true;
    this.follow();
  }

  /** Without turns there is a page, read from its top. */
  setGrows(grows: boolean): void {
    this.grows = grows;
    if (grows) return;
    this.scroller.scrollTop = 0;
    this.onChange(true);
  }

  /** Goes to where the user was before a reload. */
  restore(top: number): void {
    this.go(top);
    this.anchor = undefined;
    this.following = this.atEnd();
    this.onChange(this.following);
  }

  private follow(): void {
    if (this.following) this.go(Math.min(this.end(), this.top()));
    this.onChange(this.atEnd());
  }

  /** What waits for the user, and why an answer failed, is at the end, and must be seen. */
  private top(): number {
    if (!this.anchor || this.content.querySelector(".approval:not(.answered)") || this.anchor.querySelector(".findings > .banner.error")) return Infinity;
    return this.anchor.offsetTop - ABOVE_PX;
  }

  private go(top: number): void {
    this.scroller.scrollTop = Math.max(0, top);
    this.own = this.scroller.scrollTop;
  }

  private scrolled(): void {
    const { scrollTop } = this.scroller;
    // Of our own, or because the content has become shorter.
    const isOwn = Math.abs(scrollTop - this.own) <= 1 || (scrollTop < this.own && scrollTop >= this.end() - 1);
    if (!isOwn) {
      this.anchor = undefined;
      this.following = this.atEnd();
    }
    this.own = scrollTop;
    this.onChange(this.atEnd());
  }

  private end(): number {
    return this.scroller.scrollHeight - this.scroller.clientHeight;
  }

  private atEnd(): boolean {
    return this.end() - this.scroller.scrollTop <= SLACK_PX;
  }
}
