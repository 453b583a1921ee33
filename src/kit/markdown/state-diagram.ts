export type Move = { from: string; to: string; when: string }

/** The arrows of a state diagram in Mermaid's notation. Its beginning and end are no states. */
export const movesIn = (diagram: string): Move[] =>
  [...diagram.matchAll(/^\s*(\w+) --> (\w+)(?:: (.+))?$/gm)].map(([, from = '', to = '', when = '']) => ({
    from,
    to,
    when,
  }))
