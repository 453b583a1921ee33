// Mistakes that somebody could make. `npm run simulate -- --bugs` shows that a schedule finds each.

/** `code` stands once in the compiled file. */
export type Bug = { file: string; code: string; instead: string }

export const bugs: Record<string, Bug> = {}
