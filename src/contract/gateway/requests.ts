import { z } from 'zod'
import { Flag } from '../query.ts'

/** Other members are forwarded to the model. */
export const ChatRequest = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content: z.string() })),
})

/** Other members are forwarded to the agent. */
export const AgentRequest = z.looseObject({ inputs: z.string() })

/** With `async=true` the response is sent to the callback of the agent's trigger. */
export const AgentQuery = z.object({ async: Flag })

export const AgentAccepted = z.object({ success: z.literal(true) })

export const CallbackBody = z.object({
  status_code: z.int(),
  response_body: z.string(),
  response_length: z.int(),
  /** Unix seconds, like the header. */
  timestamp: z.int(),
})
export type CallbackBody = z.infer<typeof CallbackBody>
