import { z } from 'zod'
import { ResourceName } from '../../../contract/resource.ts'

/** Accounts and workspaces are named as resources are. */
export const Name = ResourceName

export const Email = z.email()

export const KeyName = z.string().min(1).max(63)
