import type { Kind } from '../domain/kind.ts'
import { mcpFunction } from './function.ts'
import { integrationConnection } from './integration-connection.ts'

/** Every kind the control plane serves. */
export const kinds: readonly Kind[] = [integrationConnection, mcpFunction]
