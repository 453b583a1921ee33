import { csv } from '../../../kit/http/csv.ts'

/** One line of the file, as the API says it. */
export type AddressRow = {
  connection: string
  name: string
  tenant: string
  integration: string
  endUser: { id: string }
  account?: string | undefined
  url: string
  expiresAt: string
}

const columns = ['connection', 'connectionName', 'tenant', 'integration', 'endUser', 'account', 'url', 'expiresAt']

/** The addresses of a campaign as a file, the same whoever asks: what reads one of them reads the other. */
export const addressesCsv = (rows: readonly AddressRow[]): string =>
  csv([
    columns,
    ...rows.map(({ connection, name, tenant, integration, endUser, account = '', url, expiresAt }) => [
      connection,
      name,
      tenant,
      integration,
      endUser.id,
      account,
      url,
      expiresAt,
    ]),
  ])
