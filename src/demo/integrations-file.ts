import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { installedRoot } from '../kit/installed/installed-root.ts'
import { StartError } from '../kit/process/start-error.ts'

type FileboxRegistration = { url: string; clientId: string; clientSecret: string }

export const fileboxIntegrations = ({ url, clientId, clientSecret }: FileboxRegistration) => ({
  integrations: [
    {
      id: 'filebox',
      displayName: 'Filebox',
      icon: `data:image/svg+xml;base64,${readFileSync(join(installedRoot, 'public/demo/filebox.svg'), 'base64')}`,
      description: 'Find, read and add your Filebox files.',
      issuer: url,
      clientId,
      clientSecret,
      // Revoking one token at Filebox ends the whole grant.
      revocation: { reach: 'grant' },
      scopes: [
        { name: 'openid' },
        { name: 'email', description: 'See your email address' },
        { name: 'files.read', description: 'See your files and their contents' },
        { name: 'files.write', description: 'Add new files' },
      ],
      // Checks every minute, so that a removed grant is noticed soon. Filebox is on this machine.
      health: { tool: 'list_files', everySeconds: 60 },
      apiHosts: [new URL(url).host],
      tools: [
        {
          name: 'list_files',
          description: 'Lists your files, or those whose name contains a text.',
          inputSchema: {
            type: 'object',
            properties: { query: { type: 'string', description: 'Part of a name' } },
          },
          request: { method: 'GET', url: `${url}/api/files`, query: { q: '{query}' } },
        },
        {
          name: 'read_file',
          description: 'Shows the contents of a file.',
          inputSchema: {
            type: 'object',
            properties: { id: { type: 'string', description: 'The ID shown in the list' } },
            required: ['id'],
          },
          request: { method: 'GET', url: `${url}/api/files/{id}` },
        },
        {
          name: 'add_file',
          description: 'Adds a text file.',
          inputSchema: {
            type: 'object',
            properties: { name: { type: 'string', description: 'Notes.txt' }, content: { type: 'string' } },
            required: ['name', 'content'],
          },
          request: { method: 'POST', url: `${url}/api/files`, body: { name: '{name}', content: '{content}' } },
        },
      ],
    },
  ],
})

/** The programs validate the entries. */
const IntegrationsFile = z.object({ integrations: z.array(z.unknown()) })

export function readFurtherIntegrations(path: string): unknown[] {
  try {
    return IntegrationsFile.parse(JSON.parse(readFileSync(path, 'utf8'))).integrations
  } catch (error) {
    const reason = error instanceof z.ZodError ? 'it has no "integrations"' : (error as Error).message
    throw new StartError(`INTEGRATIONS_FILE: ${path} cannot be used: ${reason}`)
  }
}
