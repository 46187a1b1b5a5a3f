// Sends events with a client of another system, as an app would: `other_clients CLIENT ADDRESS KEY COUNT PAUSE`.
//
// As other_clients.py, with the Go packages of Debian.
package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/bugsnag/bugsnag-go"
	"github.com/getsentry/raven-go"
	"github.com/getsentry/sentry-go"
)

const user = "user-7"

func properties(number int) map[string]interface{} {
	return map[string]interface{}{
		"n": number, "label": fmt.Sprintf("label-%d ä\"&=,", number), "price": float64(number) * 0.25, "even": number%2 == 0,
	}
}

// ValueError has the name of the error in Python, after its package's.
type ValueError struct{ number int }

func (e ValueError) Error() string { return fmt.Sprintf("number %d", e.number) }

type client interface {
	send(number int) error
	end()
}

func dsn(address, key, secret string) string {
	return strings.Replace(address, "//", "//"+key+secret+"@", 1) + "/7"
}

type sentryClient struct{}

func newSentry(address, key string) client {
	// At once, in the app's thread: its queue has room for 30 events, and drops the rest.
	transport := sentry.NewHTTPSyncTransport()
	check(sentry.Init(sentry.ClientOptions{Dsn: dsn(address, key, ""), Release: "shop@1.2.0+44", Transport: transport}))
	return sentryClient{}
}

func (sentryClient) send(number int) error {
	sentry.WithScope(func(scope *sentry.Scope) {
		scope.SetUser(sentry.User{ID: user})
		scope.SetExtras(properties(number))
		sentry.CaptureException(ValueError{number})
	})
	return nil
}

func (sentryClient) end() { sentry.Flush(20 * time.Second) }

type ravenClient struct{ client *raven.Client }

func newRaven(address, key string) client {
	// It takes no address without a secret.
	made, err := raven.New(dsn(address, key, ":unused"))
	check(err)
	made.SetRelease("shop@1.2.0+44")
	return ravenClient{made}
}

func (c ravenClient) send(number int) error {
	failure := ValueError{number}
	packet := raven.NewPacketWithExtra(
		failure.Error(), properties(number), raven.NewException(failure, raven.NewStacktrace(1, 3, nil)), &raven.User{ID: user})
	_, result := c.client.Capture(packet, nil)
	return <-result
}

func (c ravenClient) end() {}

type bugsnagClient struct{ notifier *bugsnag.Notifier }

func newBugsnag(address, key string) client {
	return bugsnagClient{bugsnag.New(bugsnag.Configuration{
		APIKey: key, AppVersion: "1.2.0", Synchronous: true, AutoCaptureSessions: false, PanicHandler: func() {},
		Logger:    log.New(io.Discard, "", 0),
		Endpoints: bugsnag.Endpoints{Notify: address + "/notify", Sessions: address + "/sessions"},
	})}
}

func (c bugsnagClient) send(number int) error {
	return c.notifier.Notify(
		ValueError{number}, bugsnag.User{Id: user}, bugsnag.MetaData{"shop": properties(number)}, bugsnag.ErrorClass{Name: "ValueError"})
}

func (c bugsnagClient) end() {}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	name, address, key := os.Args[1], os.Args[2], os.Args[3]
	count, err := strconv.Atoi(os.Args[4])
	check(err)
	pause, err := strconv.ParseFloat(os.Args[5], 64)
	check(err)
	made := map[string]func(string, string) client{"sentry-go": newSentry, "raven-go": newRaven, "bugsnag-go": newBugsnag}[name]
	if made == nil {
		check(errors.New("unknown client " + name))
	}
	c := made(address, key)
	lost := []string{}
	for number := 0; number < count; number++ {
		if err := c.send(number); err != nil {
			lost = append(lost, strconv.Itoa(number))
			fmt.Fprintln(os.Stderr, number, err)
		}
		time.Sleep(time.Duration(pause * float64(time.Second)))
	}
	c.end()
	fmt.Println("[" + strings.Join(lost, ",") + "]")
}
