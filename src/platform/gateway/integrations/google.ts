import type { IntegrationData } from '../domain/integration.ts'
import { integration } from './schema.ts'

/** What every Google API has in common. */
export const google = (data: Pick<IntegrationData, 'name' | 'displayName' | 'apiHosts' | 'tools'>) =>
  integration({ ...data, tokenEndpoint: 'https://oauth2.googleapis.com/token' })
