import { z } from 'zod'

/** Refers to itself, and so has a name in documents. */
export const JsonValue = z.json().register(z.globalRegistry, { id: 'JsonValue', description: 'Any JSON.' })
