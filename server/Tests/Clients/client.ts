// Uses the generated TypeScript client against a server. The arguments are its address and a token.
import { AlertConditionKindEnum, AlertsApi, AppsApi, Configuration, QuestionsApi } from './index';

declare const process: { argv: string[]; exitCode: number };

function check(isRight: boolean, what: string) {
    if (!isRight) throw new Error(what);
}

async function main() {
    const [address, token] = process.argv.slice(2);
    const configuration = new Configuration({ basePath: address, accessToken: token });
    const apps = new AppsApi(configuration);
    const created = await apps.createApp({ appInput: { name: 'TypeScript', timeZone: 'Europe/Berlin' } });
    const app = created.id;
    check((await apps.listApps()).apps.some(listed => listed.id === app), 'The app is not in the list.');

    // More than 32 bits.
    await apps.changeLimits({ app, limitChange: { bytesPerDay: 10_000_000_000 } });
    check((await apps.limits({ app })).limits.bytesPerDay === 10_000_000_000, 'The limit is another.');

    const alerts = new AlertsApi(configuration);
    const wanted = { name: 'Errors', condition: { kind: AlertConditionKindEnum.NewError }, destinations: ['mail:a@example.org'] };
    const alert = await alerts.createAlert({ app, alertInput: wanted });
    const changed = await alerts.changeAlert({ app, alert: alert.id, alertInput: { ...wanted, name: 'New errors' } });
    check(changed.name === 'New errors', 'The alert has its old name.');

    const questions = new QuestionsApi(configuration);
    const answer: any = await questions.query({ app, queryQuestion: { metrics: ['events' as any], by: 'install' } });
    check(Array.isArray(answer.results), 'The question has no results.');
}

main().catch(error => { console.error(error); process.exitCode = 1; });
