import type { OpenApiDocument } from '../../../kit/http/openapi/document.ts'
import { inlineSchemas } from '../../../kit/http/openapi/inline-schemas.ts'
import { type Schema, typeOf } from './api-reference.ts'

/** Replaces the document at this path. */
export type GeneratedPage = { document: string; title: string; write: () => Promise<string> }

export const generatedPages = (document: () => Promise<OpenApiDocument>): GeneratedPage[] => [
  { document: 'docs/reference/events.md', title: 'Events', write: async () => writeEvents(await document()) },
]

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
  const members = membersOf(schema.properties?.data ?? {}, 'data.')
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

type Member = { name: string; type: string; required: boolean; description: string }

/** Nested members have the names of those around them in front. */
const membersOf = (schema: Schema, prefix: string): Member[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, member]) => [
    {
      name: `${prefix}${name}`,
      type: typeOf(member),
      required: schema.required?.includes(name) ?? false,
      description: member.description ?? '',
    },
    ...membersOf(member, `${prefix}${name}.`),
    ...membersOf(member.items ?? {}, `${prefix}${name}[].`),
  ])

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
