/** There is no such class on a server, where nothing is made of it either. */
export const ElementBase = globalThis.HTMLElement ?? (class {} as typeof HTMLElement)
