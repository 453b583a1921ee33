import { z } from 'zod'
import type { DocumentParts } from '../../../kit/http/openapi/document-parts.ts'

export type MessageDescription = { type: string; summary: string; description: string; body: z.ZodType }

/** Standard Webhooks: a signed POST to the tenant's endpoint. */
const headers = {
  'webhook-id': {
    description:
      'The ID of the event. All attempts use the same ID, so store the IDs of handled events to detect repetitions.',
    required: true,
    schema: z.string().regex(/^evt_/),
  },
  'webhook-timestamp': {
    description: 'The time of this attempt, in Unix seconds.',
    required: true,
    schema: z.string().regex(/^[0-9]+$/),
  },
  'webhook-signature': {
    description:
      'One or more signatures, separated by spaces. Accept the message if any of them matches a secret that you know.',
    required: true,
    schema: z.string().regex(/^v1,/),
  },
}

export const describeMessages = (parts: DocumentParts, messages: readonly MessageDescription[], tag: string) =>
  Object.fromEntries(
    messages.map(({ type, summary, description, body }) => [
      type,
      { post: describeMessage(parts, { type, summary, description, body }, tag) },
    ]),
  )

const describeMessage = (parts: DocumentParts, message: MessageDescription, tag: string) => ({
  operationId: `on${parts.nameOf(message.body)}`,
  summary: message.summary,
  description: message.description,
  tags: [tag],
  // Authenticated by its signature.
  security: [],
  parameters: parts.requestHeaders(headers),
  requestBody: { required: true, content: { 'application/json': parts.json(message.body, 'output') } },
  responses: {
    '2XX': { description: 'Received.' },
    '410': { description: 'The endpoint no longer exists. It is disabled, and this message is not sent again.' },
    default: { description: 'Not received. The message is sent again, for up to two days.' },
  },
})
