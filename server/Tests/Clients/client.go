// Uses the generated Go client against a server. The arguments are its address and a token.
package main

import (
	"context"
	"fmt"
	"os"

	tern "example.com/tern/tern"
)

func check(isRight bool, what string, found any) {
	if !isRight {
		fmt.Fprintf(os.Stderr, "%s: %v\n", what, found)
		os.Exit(1)
	}
}

func main() {
	configuration := tern.NewConfiguration()
	configuration.Servers = tern.ServerConfigurations{{URL: os.Args[1]}}
	client := tern.NewAPIClient(configuration)
	ctx := context.WithValue(context.Background(), tern.ContextAccessToken, os.Args[2])

	app, _, err := client.AppsAPI.CreateApp(ctx).AppInput(*tern.NewAppInput("Go")).Execute()
	check(err == nil, "create an app", err)
	id := app.GetId()
	listed, _, err := client.AppsAPI.ListApps(ctx).Execute()
	check(err == nil && len(listed.GetApps()) > 0, "list apps", err)

	// More than 32 bits.
	change := tern.NewLimitChange()
	change.SetBytesPerDay(10_000_000_000)
	_, _, err = client.AppsAPI.ChangeLimits(ctx, id).LimitChange(*change).Execute()
	check(err == nil, "change limits", err)
	limits, _, err := client.AppsAPI.Limits(ctx, id).Execute()
	check(err == nil && limits.Limits.GetBytesPerDay() == 10_000_000_000, "limits", err)

	wanted := tern.NewAlertInput(*tern.NewAlertCondition("new_error"), []string{"mail:a@example.org"}, "Errors")
	created, _, err := client.AlertsAPI.CreateAlert(ctx, id).AlertInput(*wanted).Execute()
	check(err == nil && created.GetName() == "Errors", "create an alert", err)
	wanted.SetName("New errors")
	changed, _, err := client.AlertsAPI.ChangeAlert(ctx, id, created.GetId()).AlertInput(*wanted).Execute()
	check(err == nil && changed.GetName() == "New errors", "change an alert", err)

	events := "events"
	_, _, err = client.QuestionsAPI.Query(ctx, id).QueryQuestion(*tern.NewQueryQuestion([]tern.Metric{{String: &events}})).Execute()
	check(err == nil, "ask a question", err)
}
