import { csv } from '../../../kit/http/csv.ts'

type AddressRow = {
  connectionId: string
  connectionName: string
  tenantId: string
  integrationId: string
  endUser: { id: string }
  accountLabel?: string | undefined
  url: string
  expiresAt: string
}

const columns = [
  'connectionId',
  'connectionName',
  'tenantId',
  'integrationId',
  'endUserId',
  'accountLabel',
  'url',
  'expiresAt',
]

export const addressesCsv = (rows: readonly AddressRow[]): string =>
  csv([
    columns,
    ...rows.map((row) => [
      row.connectionId,
      row.connectionName,
      row.tenantId,
      row.integrationId,
      row.endUser.id,
      row.accountLabel ?? '',
      row.url,
      row.expiresAt,
    ]),
  ])
