import { Integration, type IntegrationData } from '../domain/integration.ts'

/** An integration as data, with its defaults filled in; a slip in a shipped one fails the first test that loads it. */
export const integration = (data: IntegrationData): Integration => Integration.parse(data)

/** What every Google API has in common. */
export const google = (data: Pick<IntegrationData, 'name' | 'displayName' | 'apiHosts' | 'tools'>) =>
  integration({ ...data, tokenEndpoint: 'https://oauth2.googleapis.com/token' })

export const text = (description: string) => ({ type: 'string', description })
export const count = (description: string, maximum: number) => ({ type: 'integer', description, minimum: 1, maximum })

/** The schema of a tool's arguments; nothing else is taken. */
export const args = (properties: Record<string, object>, required: string[] = []) => ({
  type: 'object' as const,
  properties,
  required,
  additionalProperties: false,
})
