import type { OpenApiDocument } from '../../../kit/http/openapi/document.ts'
import { inlineSchemas } from '../../../kit/http/openapi/inline-schemas.ts'
import { causeCodes, causes } from '../../domain/cause.ts'
import { failureCodes, failures } from '../../domain/failure.ts'
import { rows, type Schema } from '../locals/docs.ts'

/** Replaces the document at this path. */
export type GeneratedPage = { document: string; write: () => string }

export const generatedPages = (document: () => OpenApiDocument): GeneratedPage[] => [
  { document: 'docs/reference/events.md', write: () => writeEvents(document()) },
  { document: 'docs/reference/causes.md', write: writeCauses },
  { document: 'docs/reference/errors.md', write: writeErrors },
]

const writeCauses = () => `# Causes

Why a link or a connection is not working. The code is the same in the return URL, the API, webhooks, pages and the audit log; \`whoseMove\` says who can act. The list grows: treat a code that you do not know by its \`whoseMove\`.

${causeCodes.map(writeCause).join('\n')}`

const writeCause = (code: (typeof causeCodes)[number]) => `## \`${code}\`

**${causes[code].title}.** ${causes[code].advice}

Action needed from: ${causes[code].whoseMove}. [More about it](../guides/${causes[code].guide})
`

const writeErrors = () => `# Errors

A request that was refused is answered with a problem (RFC 9457, \`application/problem+json\`). Its \`type\` leads here; \`errors\` points to members of your request by JSON pointer, and names parameters and headers. \`Retry-After\` says how many seconds to wait before you retry a 429 or 503.

${failureCodes.map(writeError).join('\n')}`

const writeError = (code: (typeof failureCodes)[number]) => `## \`${code}\`

**${failures[code].status}: ${failures[code].title}.** ${failures[code].explanation}
`

type Message = {
  post: { summary: string; description: string; requestBody: { content: { 'application/json': MessageBody } } }
}
type MessageBody = { schema: Schema; example?: unknown }

const writeEvents = (document: OpenApiDocument) => {
  const messages = Object.entries(inlineSchemas(document, document.webhooks ?? {}) as Record<string, Message>)
  return `# Events

What is sent to the webhook endpoints of a tenant, and listed by \`GET /tenants/{tenantId}/events\`. [Receive webhooks](../guides/receive-webhooks.md) says how to verify a message and what counts as received.

${messages.map(([type, { post }]) => writeEvent(type, post)).join('\n')}`
}

const writeEvent = (type: string, { summary, description, requestBody }: Message['post']) => {
  const { schema, example } = requestBody.content['application/json']
  const members = rows(schema.properties?.data ?? {}, '', 'data.')
  return `## \`${type}\`

**${summary}.** ${description}

| member | type | present | what it says |
|---|---|---|---|
${members.map((row) => `| \`${row.name}\` | ${cell(row.type)} | ${row.required ? 'always' : 'sometimes'} | ${cell(row.description)} |`).join('\n')}

\`\`\`json
${JSON.stringify(example, null, 2)}
\`\`\`
`
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
