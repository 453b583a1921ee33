import type { z } from 'zod'
import { integrationsFile } from '../../contract/integrations/integrations-file.ts'
import { Secret } from '../../kit/crypto/secret.ts'
import type { ConfiguredIntegration } from '../domain/integration.ts'
import { shippedCatalogue } from './catalogue.ts'
import { compileProfile } from './profile.ts'

type FileEntries = z.output<ReturnType<typeof integrationsFile>>

export const configuredIntegrations = (entries: FileEntries): ConfiguredIntegration[] =>
  entries.map(({ profile, client, catalogued }) => ({
    profile: compileProfile(profile),
    catalogued,
    client: client && {
      id: client.clientId,
      secret: client.clientSecret === undefined ? undefined : new Secret(client.clientSecret),
    },
  }))

export const readIntegrations = () => integrationsFile(shippedCatalogue()).transform(configuredIntegrations)
