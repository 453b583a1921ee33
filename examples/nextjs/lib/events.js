// By ID, because messages can arrive twice. Use your database.
globalThis.exampleEvents ??= new Map()

export const events = globalThis.exampleEvents
