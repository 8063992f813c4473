import type { Locale } from '../../domain/locale.ts';
import { type Html, html } from '../html.ts';
import { avatar } from '../layout/avatar.ts';
import { csrfField, type Page } from '../layout/page.ts';
import { DEMO_PEOPLE, type DemoPerson } from './demo-people.ts';
import { signInMessages } from './messages.ts';

export type DemoForm = { back: string; csrfToken: string };

export function demoPage(locale: Locale, { back, csrfToken }: DemoForm): Page {
  const text = signInMessages[locale];
  return {
    title: text.title,
    styles: ['sign-in.css'],
    main: html`<div class="card stack demo-choice">
<h1>${text.title}</h1>
<p>${text.lead}</p>
<form class="stack" method="post" action="/sign-in">
${csrfField(csrfToken)}<input type="hidden" name="back" value="${back}">
${DEMO_PEOPLE.map((person) => personButton(person, text.roles[person.role]))}
</form>
<p class="muted demo-hint">${text.production}</p>
</div>`,
  };
}

function personButton({ userId, name }: DemoPerson, role: string): Html {
  return html`<button class="secondary demo-person" name="person" value="${userId}">
${avatar({ id: userId, name }, 'medium')}
<span class="demo-words"><strong>${name}</strong><span class="visually-hidden">, </span><span class="muted">${role}</span></span>
</button>`;
}
