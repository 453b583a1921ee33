import { z } from 'zod'
import { oauthShape } from './oauth.ts'
import { productShape } from './product.ts'

export const ProfileShape = z.strictObject({ ...oauthShape, ...productShape })
export type Profile = z.output<typeof ProfileShape>
export type ProfileInput = z.input<typeof ProfileShape>
