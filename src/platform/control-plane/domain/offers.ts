import { createHash } from 'node:crypto'
import type { Configuration, Location, Template } from '../../../contract/control-plane/catalogue.ts'
import { apiVersions } from '../../../contract/headers.ts'

export const locations: readonly Location[] = [
  { name: 'local', displayName: 'This machine', continent: '', status: 'available' },
]

export const configuration = ({ images, engine }: Pick<Configuration, 'images' | 'engine'>): Configuration => ({
  regions: locations.map(({ name }) => ({ name, allowed: true })),
  plans: [{ name: 'local' }],
  generations: ['mk2', 'mk3'],
  images: [...images],
  engine,
  apiVersions: [...apiVersions],
})

type ShippedTemplate = Pick<Template, 'name' | 'description' | 'topics' | 'variables'>

/** Templates ship with the platform, so there is no repository. The hash is of the template. */
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

export const templates: readonly Template[] = (
  [
    {
      name: 'echo-agent',
      description: 'An agent that returns its input, to show the path of a request.',
      topics: ['agent', 'echo'],
      variables: [],
    },
    {
      name: 'echo-job',
      description: 'A batch job whose tasks return their arguments.',
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
