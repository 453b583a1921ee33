/** HTMLElement does not exist on servers. */
export const ElementBase = globalThis.HTMLElement ?? (class {} as typeof HTMLElement)
