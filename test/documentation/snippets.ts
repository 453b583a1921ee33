import { readDocument } from '../architecture/documents.ts'

/** What integrators read and copy from. */
export const integratorDocuments = [
  'docs/guides/ten-minute-start.md',
  'docs/guides/connect-your-users.md',
  'docs/guides/receive-webhooks.md',
  'docs/guides/test-mode.md',
  'docs/guides/relink-a-connection.md',
  'docs/guides/import-grants.md',
  'docs/guides/open-a-function-in-an-mcp-client.md',
  'docs/guides/misbehaving-provider.md',
  'docs/guides/manage-tenants.md',
  'packages/client/README.md',
  'packages/python/README.md',
  'packages/connect/README.md',
  'packages/cli/README.md',
  'docs/concepts.md',
  'docs/api-compatibility.md',
  'docs/api.md',
]

export type Snippet = { document: string; line: number; language: string; info: string; text: string }

/** Returns every fenced block of a document, without the indentation of a surrounding list. */
export function snippetsIn(document: string): Snippet[] {
  const text = readDocument(document)
  return [...text.matchAll(/^( *)```(\S*) ?(.*)\n([\s\S]*?)^\1```$/gm)].map((match) => {
    const [, indent = '', language = '', info = '', block = ''] = match
    const line = text.slice(0, match.index).split('\n').length
    return { document, line, language, info, text: block.replaceAll(new RegExp(`^${indent}`, 'gm'), '') }
  })
}

/** `docs/guides/test-mode.md:10`, for the name of a test. */
export const placeOf = ({ document, line }: Snippet): string => `${document}:${line}`
