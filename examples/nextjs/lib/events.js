// By id, because a message can come twice; yours belong in a database.
globalThis.exampleEvents ??= new Map()

export const events = globalThis.exampleEvents
