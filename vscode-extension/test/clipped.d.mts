export function clipped(): string[];
