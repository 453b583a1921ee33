import { z } from 'zod'

const Offered = z.looseObject({})

/** Media type of a card (MCP Apps, 2026-01-26). */
export const cardMimeType = 'text/html;profile=mcp-app'

/** The extension of MCP by which clients show cards. */
export const cardExtension = 'io.modelcontextprotocol/ui'

/** The capabilities that a client declares for interaction with its user. Elicitation without a mode means forms. */
export const ClientCapabilities = z.object({
  elicitation: z.object({ form: Offered.optional(), url: Offered.optional() }).optional().catch(undefined),
  extensions: z
    .object({ [cardExtension]: z.object({ mimeTypes: z.array(z.string()) }).optional() })
    .optional()
    .catch(undefined),
})
