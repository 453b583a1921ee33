import { Router } from 'express'
import { signIn, signOut, type User } from './session.ts'

/** Acme has one user, who needs no password: this demo is about what comes after. */
export const demoUser: User = { id: 'user-1', displayName: 'Acme User', email: 'user@acme.example' }

export const signInPages = (): Router =>
  Router()
    .get('/sign-in', (_req, res) => res.render('demo/portal/sign-in', { user: demoUser }))
    .post('/sign-in', async (req, res) => {
      await signIn(req, demoUser)
      res.redirect(303, '/integrations')
    })
    .post('/sign-out', async (req, res) => {
      await signOut(req)
      res.clearCookie('acme_session').redirect(303, '/sign-in')
    })
