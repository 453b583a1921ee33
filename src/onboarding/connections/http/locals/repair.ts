import type { Translator } from '../../../../kit/messages/translator.ts'
import { isTestTenant } from '../../../domain/test-mode/test-mode.ts'
import { brandLocals, wayBack } from '../../../linking/http/locals/brand.ts'
import type { RepairPage } from '../../flows/repair-connection.ts'

export function repairLocals({ tenant, integration, connection }: RepairPage, translator: Translator) {
  const { t } = translator
  const names = { app: integration?.displayName ?? connection.integration, tenant: tenant.displayName }
  return {
    title: t('connect.titleAgain', names),
    text: t('manage.relinkElsewhere', names),
    returnTo: wayBack(tenant, undefined, translator),
    testMode: isTestTenant(tenant.id),
    ...brandLocals(tenant, translator),
  }
}
