import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { OpaqueCursors } from '../../../../kit/crypto/opaque-cursor.ts'
import type { Keyring, SealedBox } from '../../../../kit/crypto/sealed-box.ts'
import { signer } from '../../../../kit/crypto/signer.ts'
import type { WaitingApproval } from '../../domain/approvals/approval.ts'
import { callStates } from '../waiting-calls.ts'
import { postgresApprovalElicitations } from './approval-elicitations.ts'
import { postgresApprovals } from './approvals.ts'

type Stores = { pool: pg.Pool; vault: SealedBox; keyring: Keyring; states: OpaqueCursors }

export const openApprovals = ({ pool, vault, keyring, states }: Stores) => ({
  approvals: postgresApprovals({ pool, vault, newId: () => randomBytes(16).toString('base64url') }),
  receiptSigner: signer(keyring, 'approval receipt'),
  approvalElicitations: postgresApprovalElicitations(pool),
  approvalStates: callStates<WaitingApproval>(pool, states, () => new Date()),
})
