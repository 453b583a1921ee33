import { integrationsFile } from '../../contract/integrations/integrations-file.ts'
import { Secret } from '../../kit/crypto/secret.ts'
import { type ConfiguredIntegration, shippedCatalogue } from './catalogue.ts'
import { compileProfile } from './profile.ts'

export const readIntegrations = () =>
  integrationsFile(shippedCatalogue()).transform((entries) =>
    entries.map(
      ({ profile, client }): ConfiguredIntegration => ({
        profile: compileProfile(profile),
        client: client && {
          id: client.clientId,
          secret: client.clientSecret === undefined ? undefined : new Secret(client.clientSecret),
        },
      }),
    ),
  )
