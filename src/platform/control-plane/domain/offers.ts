import { createHash } from 'node:crypto'
import { apiVersions } from '../../../contract/api-version.ts'
import type { Configuration, Location, Template } from '../../../contract/control-plane/catalogue.ts'

/** One machine, one location. */
export const locations: readonly Location[] = [
  { name: 'local', displayName: 'This machine', continent: '', status: 'available' },
]

export const configuration = (images: readonly string[]): Configuration => ({
  regions: locations.map(({ name }) => ({ name, allowed: true })),
  plans: [{ name: 'local' }],
  generations: ['mk2', 'mk3'],
  images: [...images],
  apiVersions: [...apiVersions],
})

type ShippedTemplate = Pick<Template, 'name' | 'description' | 'topics' | 'variables'>

/** Templates ship inside the platform: there is no repository to point at, and the hash is of the template itself. */
const ship = (template: ShippedTemplate): Template => ({
  ...template,
  defaultBranch: 'main',
  sha: createHash('sha1').update(JSON.stringify(template)).digest('hex'),
  url: '',
  icon: '',
  iconDark: '',
  downloadCount: 0,
  forksCount: 0,
  starCount: 0,
})

/** What ships with the platform, to read and to copy. */
export const templates: readonly Template[] = (
  [
    {
      name: 'echo-agent',
      description: 'An agent that answers with what it was asked, to see the way a request takes.',
      topics: ['agent', 'echo'],
      variables: [],
    },
    {
      name: 'echo-job',
      description: 'A batch job whose tasks answer with their arguments.',
      topics: ['job', 'echo'],
      variables: [],
    },
    {
      name: 'linked-account-mcp',
      description: 'An MCP server that acts with a linked account.',
      topics: ['mcp', 'integration'],
      variables: [
        {
          name: 'REFRESH_TOKEN',
          description: 'The grant of the linked account.',
          integration: 'oauth',
          path: 'spec.secret.REFRESH_TOKEN',
          secret: true,
        },
      ],
    },
  ] satisfies ShippedTemplate[]
).map(ship)
