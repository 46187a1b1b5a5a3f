"""Hands that work on a page as people do: one with a mouse, one with the keys alone. Both count what they do."""

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

FIELDS = "input, select, textarea"
CONTROLS = f"a[href], button, summary, {FIELDS}"

# The first control of some kinds in a part of the page that a person would call by a name.
FIND = """
const [within, name, part, kinds] = arguments;
const plain = text => (text || "").replace(/\\s+/g, " ").trim();
const names = node => [node.getAttribute("aria-label"), node.textContent, node.labels?.[0]?.textContent].map(plain);
const matches = text => part ? text.includes(name) : text === name;
for (const root of document.querySelectorAll(within)) {
  for (const node of root.querySelectorAll(kinds)) {
    if (node.checkVisibility() && names(node).some(matches)) { return node; }
  }
}
return null;
"""

# What has the focus, and whether a person sees that: a ring around it, in the window.
FOCUS = """
const node = document.activeElement, style = getComputedStyle(node), box = node.getBoundingClientRect();
const isRinged = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
const isInside = box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth && box.width > 0;
const words = (node.getAttribute("aria-label") || node.textContent || node.name || "").trim().slice(0, 60);
return [node === arguments[0], isRinged && isInside, `${node.tagName} "${words}"`, node.className === "skip"];
"""

# Where an element is from the focus: 2 before it, 4 after it.
PLACE = "return document.activeElement.compareDocumentPosition(arguments[0]) & 6;"


class Hand:
    """What both hands do with what they have found."""

    def __init__(self, browser, most):
        self.browser = browser
        self.driver = browser.driver
        self.most = most
        self.clicks = 0
        self.keys = 0

    def see(self, name, within="main", part=False, kinds=CONTROLS):
        """Finds a link, button, field or fold by its name."""
        node = self.driver.execute_script(FIND, within, name, part, kinds)
        assert node, f"{self.driver.current_url} has no {name!r} in {within}"
        return node

    def found(self, target, within, kinds=CONTROLS):
        return self.see(target, within, kinds=kinds) if isinstance(target, str) else target

    def follow(self, target, within="main"):
        """Activates what leads to another page."""
        target = self.found(target, within)
        self.browser.leave(lambda: self.activate(target))

    def press(self, target, within="main"):
        """Activates what stays on the page."""
        self.activate(self.found(target, within))

    def write(self, target, text, within="main"):
        """Replaces the text of a field."""
        target = self.found(target, within, FIELDS)
        self.focus(target)
        if target.get_attribute("value"):
            self.type(Keys.CONTROL, "a")
        ActionChains(self.driver).send_keys(text).perform()

    def enter(self):
        """Sends the form in which something was typed last."""
        self.browser.leave(lambda: self.type(Keys.ENTER))

    def type(self, *keys):
        """Presses keys that write no text, all at once."""
        self.keys += 1
        actions = ActionChains(self.driver)
        for key in keys:
            actions.key_down(key)
        for key in reversed(keys):
            actions.key_up(key)
        actions.perform()

    def has_focus(self, target):
        return self.driver.execute_script("return document.activeElement === arguments[0]", target)


class Mouse(Hand):
    """Clicks. A field that has the focus already needs no click, a value of a list takes one, and text none."""

    def activate(self, target):
        self.clicks += 1
        assert self.clicks <= self.most, f"the job takes more than {self.most} clicks"
        target.click()

    def focus(self, target):
        if not self.has_focus(target):
            self.activate(target)

    def choose(self, target, text, within="main"):
        target = self.found(target, within, FIELDS)
        self.clicks += 1
        assert self.clicks <= self.most, f"the job takes more than {self.most} clicks"
        Select(target).select_by_visible_text(text)


class Keyboard(Hand):
    """Goes to everything with Tab, and sees on the way where it is."""

    farthest = 250

    def focus(self, target):
        if self.has_focus(target):
            return
        isMain = self.driver.execute_script("return !!arguments[0].closest('main')", target)
        for _ in range(self.farthest):
            isBefore = self.driver.execute_script(PLACE, target) & 2
            self.type(*([Keys.SHIFT] if isBefore else []), Keys.TAB)
            isThere, isVisible, words, leadsOverMenu = self.driver.execute_script(FOCUS, target)
            assert isVisible, f"the focus on {words} of {self.driver.current_url} is not visible"
            if isThere:
                return
            if leadsOverMenu and isMain:
                self.type(Keys.ENTER)
        raise AssertionError(f"{target.text!r} of {self.driver.current_url} is not reached with Tab")

    def activate(self, target):
        self.focus(target)
        self.type(Keys.SPACE if target.get_attribute("type") == "checkbox" else Keys.ENTER)

    def choose(self, target, text, within="main"):
        target = self.found(target, within, FIELDS)
        self.focus(target)
        options = [option.text for option in target.find_elements(By.TAG_NAME, "option")]
        steps = options.index(text) - options.index(Select(target).first_selected_option.text)
        for _ in range(abs(steps)):
            self.type(Keys.ARROW_DOWN if steps > 0 else Keys.ARROW_UP)
        assert Select(target).first_selected_option.text == text
