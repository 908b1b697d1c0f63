/** Numbers as people read them. */

/** `950`, `12.3k`, `1.2M`. */
export function short(count: number): string {
  if (count < 1000) return `${count}`;
  if (count < 999_500) return `${(count / 1000).toFixed(count < 99_950 ? 1 : 0)}k`;
  return `${(count / 1e6).toFixed(1)}M`;
}

/** `0.4 s`, `3:05 min`, `2:07 h`; "" where it is not known. */
export function time(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || seconds < 0 || seconds >= 1e9) return "";
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const two = (value: number): string => String(value).padStart(2, "0");
  return whole < 3600 ? `${Math.floor(whole / 60)}:${two(whole % 60)} min` : `${Math.floor(whole / 3600)}:${two(Math.floor((whole % 3600) / 60))} h`;
}

/** `$0.0042`, `$1.20`; "" where it is not known. */
export function dollars(cost: number | null | undefined): string {
  if (cost === null || cost === undefined) return "";
  return `$${cost.toFixed(cost !== 0 && cost < 0.1 ? 4 : 2)}`;
}

/** `1 step`, `3 steps`. */
export function counted(count: number, what: string): string {
  return `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
}

/** `step 3`, `steps 3-5`. */
export function stepsBetween(first: number, last: number): string {
  return first === last ? `step ${first}` : `steps ${first}-${last}`;
}

/** What is there, joined. */
export function facts(...parts: (string | undefined | false)[]): string {
  return parts.filter(Boolean).join(" · ");
}
